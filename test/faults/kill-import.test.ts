import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bundleText, OWN, readJson } from '../unit/bundles/bundles.ts';
import { killChildren } from './child-processes.ts';
import { GatewayPlace } from './gateway-process.ts';

/** Turns of the imported Session: many transactions. */
const TURNS = 1_500;
/** What a part of them weighs in the data directory: several transactions, and by far not all. */
const SOME_BYTES = 200_000;

afterAll(killChildren);

function bytesUnder(folder: string): number {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  // A file may go between the two looks.
  return files.reduce(
    (sum, { parentPath, name }) =>
      sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

it('SIGKILL in the middle of an import leaves nothing to be seen, and the same bundle goes on where it was', async () => {
  const messages = Array.from({ length: TURNS }, (_, at) => ({ role: 'user', content: `turn ${at}` }));
  const record = { ...readJson(new URL('run-record.json', OWN)), transcript: { messages } };
  const body = Buffer.from(await bundleText(record, 'sanitized'));
  const place = new GatewayPlace();
  const first = await place.start();
  const before = bytesUnder(place.data);
  const cut = first.client.call('POST', '/v1/bundles/import', { body }).then(
    () => 'answered',
    () => 'cut',
  );
  await expect
    .poll(() => bytesUnder(place.data) - before, { interval: 5, timeout: 60_000 })
    .toBeGreaterThan(SOME_BYTES);
  await first.kill();
  expect(await cut).toBe('cut');

  const second = await place.start();
  const listed = await second.client.get<{ data: { id: string }[] }>('/v1/sessions');
  expect(listed.data).toEqual([]);
  const answer = await second.client.call<{ session_id: string; workspace_id: string }>(
    'POST',
    '/v1/bundles/import',
    { body },
  );
  expect(answer).toMatchObject({ status: 200, body: { created: true, events: TURNS + 1 } });
  const path = `/v1/sessions/${answer.body.session_id}/messages?limit=1&order=desc`;
  expect(await second.client.get(path)).toMatchObject({
    data: [{ parts: [{ text: expect.stringMatching(/^turn /) }] }],
  });
  const again = await second.client.call('POST', '/v1/bundles/import', { body });
  expect(again.body).toMatchObject({ ...answer.body, created: false });
  expect((await second.stop()).code).toBe(0);
  expect((await place.check()).code).toBe(0);
  place.remove();
}, 180_000);
