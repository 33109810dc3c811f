import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { fetchSmallJson, postSmallForm } from '#compose/fetch-json.ts';
import { operatorGuard, outboundGuard } from '#compose/outbound-guard.ts';
import { servedPerTest } from '../../../harness/peers/served.ts';

const serveOnLoopback = servedPerTest();

async function served(listener: RequestListener): Promise<string> {
  const { port } = new URL(await serveOnLoopback(listener));
  return `http://login.internal:${port}`;
}

const resolveHost = async (name: string) => (name === 'login.internal' ? ['127.0.0.1'] : []);
const own = operatorGuard({ resolveHost });
const foreign = outboundGuard({ resolveHost, config: { outbound: { allow: [] } } as never });
const LARGEST = 65_536;
const ofSize = (size: number) => JSON.stringify('x'.repeat(size - 2));

describe('documents of URLs that the operator configured', () => {
  it('[X-01] may be at a private address, where nobody else may send the gateway', async () => {
    const url = await served((_, response) => response.end('{"keys":[]}'));
    expect(await fetchSmallJson(own, new URL(`${url}/keys`))).toEqual({ keys: [] });
    await expect(fetchSmallJson(foreign, new URL(`${url}/keys`))).rejects.toMatchObject({
      refusal: 'address',
    });
  });

  it('[X-03] are not looked for where a redirect leads', async () => {
    const asked: (string | undefined)[] = [];
    const url = await served(({ url }, response) => {
      asked.push(url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    await expect(fetchSmallJson(own, new URL(`${url}/keys`))).rejects.toThrow();
    await expect(postSmallForm(own, new URL(`${url}/token`), new URLSearchParams(), {})).rejects.toThrow();
    expect(asked).toEqual(['/keys', '/token']);
  });

  it('are read up to 64 KiB and no further', async () => {
    let size = LARGEST;
    const url = await served((_, response) => response.end(ofSize(size)));
    expect(await fetchSmallJson(own, new URL(url))).toHaveLength(LARGEST - 2);
    size += 1;
    await expect(fetchSmallJson(own, new URL(url))).rejects.toThrow('larger than 65536 bytes');
  });

  it('are asked for with the form and the headers that the caller gives', async () => {
    const url = await served((request, response) => {
      const { method, headers } = request;
      const told = [method, headers['content-type'], headers.authorization, headers.accept];
      request.setEncoding('utf8').once('data', (body) => response.end(JSON.stringify([...told, body])));
    });
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'a b' });
    const answer = await postSmallForm(own, new URL(url), form, { authorization: 'Basic eDp5' });
    expect(answer).toEqual([
      'POST',
      'application/x-www-form-urlencoded;charset=UTF-8',
      'Basic eDp5',
      'application/json',
      'grant_type=client_credentials&scope=a+b',
    ]);
  });
});
