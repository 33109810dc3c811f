import { expect, it } from 'vitest';
import { AddressGuard } from '../../../../bridges/wire/address-guard.ts';
import { guardedFetch } from '../../../../bridges/wire/guarded-fetch.ts';
import { FORBIDDEN_URLS } from '../../../harness/forbidden-urls.ts';
import { servedPerTest } from '../../../harness/peers/served.ts';

const served = servedPerTest();

function read(url: string, addresses: readonly string[] = [], allow: readonly string[] = []) {
  const guard = new AddressGuard(allow, async () => addresses);
  const request = { headers: {}, signal: AbortSignal.timeout(5_000) };
  return guardedFetch(guard, url, request, (answer) => answer.text());
}

it('[X-01] reads what may be read, and answers when the connection is closed', async () => {
  const url = await served((_, response) => response.end('fine'));
  expect(await read(`${url}/keys`, [], ['127.0.0.1'])).toBe('fine');
});

it('[X-02] connects to the address that was checked', async () => {
  const url = await served((request, response) => response.end(request.headers.host));
  const { port } = new URL(url);
  expect(await read(`http://keys.example:${port}/`, ['127.0.0.1'], ['127.0.0.1'])).toBe(
    `keys.example:${port}`,
  );
});

it('[X-03] follows no redirect', async () => {
  const url = await served((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
  await expect(read(url, [], ['127.0.0.1'])).rejects.toThrow();
});

it('[X-01] refuses what the guard refuses', async () => {
  for (const [url] of FORBIDDEN_URLS)
    await expect(read(url)).rejects.toMatchObject({ name: 'TargetRefused' });
});
