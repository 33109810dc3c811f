/**
 * Records a log for fixtures/logs, one folder for each stored form that was released: what a small store of this form holds,
 * the public half of its signing key, its checkpoint, and what the gateway said of it over REST. Never written again once the
 * form was released: `node dist/test/harness/record-log.js FOLDER`.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataPaths } from '#operation/data-directory.ts';
import { readRows } from '#receipts/key-files.ts';
import type { Session } from '#resources/session/schema.ts';
import { openLevelStore } from '#store/level-store.ts';
import { RetentionStage } from '../resources/event/retention-stage.ts';
import { readThings } from './recorded-log.ts';

const [folder = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

// Long enough ago that all of it lies in the past when it is opened.
const stage = await new RetentionStage(40).open();
const { session_id: cut } = await stage.run('old and gone');
const { session_id: partly } = await stage.run('old and gone too');
await stage.close({ id: cut });
await stage.sweepAfter(31);
await stage.run('kept behind a cut', partly);
await stage.sweepAfter(0);
const first = await stage.run('hello');
await stage.run('fail', first.session_id, 'FAILED');
await stage.run('again', first.session_id);
const { id: fork } = await stage.client.post<Session>(`/v1/sessions/${first.session_id}/fork`, {});
await stage.run('in the fork', fork);
await stage.client.post('/v1/memories', {
  scope: 'workspace',
  owner_id: 'workspace_default',
  content: 'what is kept across sessions',
  provenance: { actor: 'a' },
});
await stage.client.post('/v1/bundles/import', await bundleOfAnother());
const things = await readThings(stage.client);
await stage.gateway.close();

const paths = dataPaths(stage.data);
const store = await openLevelStore({ path: paths.store });
const lines: string[] = [];
for await (const page of store.entries({}))
  for (const [key, value] of page) lines.push(JSON.stringify([key, value.toString('base64')]));
await store.close();
const write = (name: string, text: string) => writeFileSync(join(folder, name), `${text}\n`);
write('store.jsonl', lines.join('\n'));
write('keys.json', JSON.stringify(readRows(paths.keys)?.rows, null, 2));
write('things.json', JSON.stringify(things, null, 2));
copyFileSync(paths.checkpoint, join(folder, 'checkpoint.json'));
await stage.open();
await stage.end();

async function bundleOfAnother(): Promise<unknown> {
  const other = await new RetentionStage().open();
  const { session_id } = await other.run('elsewhere');
  const bundle = await other.client.post('/v1/bundles/export', { session_id });
  await other.end();
  return bundle;
}
