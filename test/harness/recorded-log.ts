import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, systemRandom } from '#compose/compose.ts';
import { findPackageRoot } from '#config/package-root.ts';
import { sha256Hex } from '#json/canonical.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { type KeyRow, writeRows } from '#receipts/key-files.ts';
import { openKeyRegistry } from '#receipts/key-registry.ts';
import { openLevelStore } from '#store/level-store.ts';
import type { WriteOp } from '#store/store.ts';
import type { TestClient } from './client.ts';

const FOLDER = join(findPackageRoot(import.meta.url), 'fixtures/logs');

/** The recorded logs, by their folders: one for each stored form. */
export const recordedLogs = (): string[] =>
  readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** What must come out the same in every later form: SHA-256 of what the gateway said, by where it said it. */
export type RecordedThings = Record<string, string>;

export const thingsOf = (name: string): RecordedThings =>
  JSON.parse(readFileSync(join(FOLDER, name, 'things.json'), 'utf8')) as RecordedThings;

/**
 * Makes a data directory from a recorded log. It gets a signing key of its own and knows the recorded one, which has ended: that
 * one signs nothing here, but verifies what it signed.
 */
export async function placeRecordedLog(data: string, name: string): Promise<void> {
  const from = (file: string) => join(FOLDER, name, file);
  const paths = dataPaths(data);
  mkdirSync(data, { recursive: true });
  const own = openKeyRegistry({ dir: paths.keys, clock: systemClock, random: systemRandom }).rows();
  const recorded: KeyRow[] = JSON.parse(readFileSync(from('keys.json'), 'utf8'));
  const ended = recorded.map((row) => ({ ...row, not_after: own[0]?.not_before ?? null }));
  writeRows(paths.keys, [...ended, ...own]);
  const lines = readFileSync(from('store.jsonl'), 'utf8').trimEnd().split('\n');
  const store = await openLevelStore({ path: paths.store });
  await store.write(
    lines.map((line): WriteOp => {
      const [key, value] = JSON.parse(line) as [string, string];
      return { type: 'put', key, value: Buffer.from(value, 'base64') };
    }),
  );
  await store.close();
  copyFileSync(from('checkpoint.json'), paths.checkpoint);
}

interface Listed {
  data: { id: string }[];
}

/** Every event, receipt, recorded material and content that the gateway has, over REST. */
export async function readThings(client: TestClient): Promise<RecordedThings> {
  const things: RecordedThings = {};
  const idsOf = async (path: string) =>
    (await client.get<Listed>(`${path}?limit=200`)).data.map(({ id }) => id);
  for (const id of await idsOf('/v1/sessions'))
    for (const event of await client.events(`/v1/sessions/${id}/events`))
      things[`event ${event.id}`] = sha256Hex(JSON.stringify(event));
  for (const id of await idsOf('/v1/tasks')) {
    const path = `/v1/tasks/${id}/materials?limit=200`;
    const { status, body } = await client.call<{ data: { id: string; sha256: string }[] }>('GET', path);
    for (const material of status === 200 ? body.data : [])
      things[`material ${id} ${material.id}`] = material.sha256;
    for (const receipt of await idsOf(`/v1/tasks/${id}/receipts`)) {
      const headers = { accept: 'application/vnd.harn.receipt+json' };
      const { text } = await client.call('GET', `/v1/receipts/${receipt}`, { headers });
      things[`receipt ${receipt}`] = sha256Hex(text);
    }
  }
  for (const id of await idsOf('/v1/artifacts')) {
    const { status, text } = await client.call('GET', `/v1/artifacts/${id}/content`);
    // A bundle names artifacts whose bytes it does not bring.
    if (status === 200) things[`content ${id}`] = sha256Hex(text);
  }
  return things;
}
