import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { dataPaths } from '#operation/data-directory.ts';
import { killChildren } from '../../../faults/child-processes.ts';
import { GatewayPlace } from '../../../faults/gateway-process.ts';
import { startTestGateway } from '../../../harness/gateway.ts';
import { appendImage } from '../../../harness/transcripts.ts';
import { bundleText, OWN, readJson } from '../unit/bundles.ts';

/** Turns of the imported Session: many transactions. */
const TURNS = 1_500;
/** What a part of them weighs in the store: several transactions, and by far not all. */
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

const storeOf = ({ data }: GatewayPlace) => dataPaths(data).store;

interface Cut {
  body: Buffer;
  /** What has to be in the store before. */
  moreThanBytes: number;
  lookEveryMs: number;
}

/** Starts a gateway and kills it in the middle of an import, before it has answered. */
async function killInImport(place: GatewayPlace, { body, moreThanBytes, lookEveryMs }: Cut): Promise<void> {
  const gateway = await place.start();
  const before = bytesUnder(storeOf(place));
  const cut = gateway.client.call('POST', '/v1/bundles/import', { body }).then(
    () => 'answered',
    () => 'cut',
  );
  await expect
    .poll(() => bytesUnder(storeOf(place)) - before, { interval: lookEveryMs, timeout: 60_000 })
    .toBeGreaterThan(moreThanBytes);
  await gateway.kill();
  expect(await cut).toBe('cut');
}

it('SIGKILL in the middle of an import leaves nothing to be seen, and the same bundle goes on where it was', async () => {
  const messages = Array.from({ length: TURNS }, (_, at) => ({ role: 'user', content: `turn ${at}` }));
  const record = { ...readJson(new URL('run-record.json', OWN)), transcript: { messages } };
  const body = Buffer.from(await bundleText(record, 'sanitized'));
  const place = new GatewayPlace();
  await killInImport(place, { body, moreThanBytes: SOME_BYTES, lookEveryMs: 5 });

  expect(readdirSync(dataPaths(place.data).spool)).toHaveLength(1);
  const second = await place.start();
  expect(existsSync(dataPaths(place.data).spool)).toBe(false);
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

/** Uploads outside of the Session; each comes in a transaction of its own, behind the events. */
const UPLOADS = 24;
const UPLOAD_BYTES = 150_000;

it('SIGKILL between the uploads that come with a Session leaves none to be seen, and the same bundle brings the others', async () => {
  const here = await startTestGateway();
  const { id } = await here.client.session();
  const pixels = Array.from({ length: UPLOADS }, (_, at) => Buffer.alloc(UPLOAD_BYTES, at));
  const images: string[] = [];
  for (const bytes of pixels) images.push(await appendImage(here.client, id, bytes));
  const asked = { session_id: id, mode: 'local', include_attachments: true };
  const body = Buffer.from((await here.client.call('POST', '/v1/bundles/export', { body: asked })).text);
  await here.close();
  const place = new GatewayPlace();
  await killInImport(place, { body, moreThanBytes: 3 * UPLOAD_BYTES, lookEveryMs: 2 });

  const second = await place.start();
  const statuses = async () => {
    const answers = images.map((image) => second.client.call('GET', `/v1/artifacts/${image}/content`));
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  expect(await statuses()).toEqual(images.map(() => 404));
  expect(await second.client.call('POST', '/v1/bundles/import', { body })).toMatchObject({
    status: 200,
    body: { session_id: id, created: true },
  });
  for (const [at, image] of images.entries()) {
    const { text } = await second.client.call('GET', `/v1/artifacts/${image}/content`);
    expect(text, image).toBe(String(pixels[at]));
  }
  expect((await second.stop()).code).toBe(0);
  expect((await place.check()).code).toBe(0);
  place.remove();
}, 180_000);
