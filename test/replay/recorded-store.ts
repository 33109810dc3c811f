import { readFileSync } from 'node:fs';
import { systemClock, systemRandom } from '../../src/compose.ts';
import { SCHEMA_VERSION } from '../../src/eventlog/log-meta.ts';
import { dataPaths } from '../../src/operation/data-directory.ts';
import { type KeyRow, writeRows } from '../../src/receipts/key-files.ts';
import { openKeyRegistry } from '../../src/receipts/key-registry.ts';
import { metaKey } from '../../src/store/keys.ts';
import { openLevelStore } from '../../src/store/level-store.ts';
import { seal, unseal } from '../../src/store/sealed-record.ts';
import type { WriteOp } from '../../src/store/store.ts';

/** A recorded history and what its replays told; written once, and never again. */
export const RECORDED = new URL('../../fixtures/replay/', import.meta.url);

/**
 * Makes a store of its own from recorded history, one `["key", "base64"]` per line. The gateway gets a signing key of its own
 * and knows the recorded one, which has ended: it signs nothing here, but verifies what it signed.
 */
export async function placeRecordedStore(data: string): Promise<void> {
  placeRecordedKey(dataPaths(data).keys);
  const lines = readFileSync(new URL('history.jsonl', RECORDED), 'utf8').trimEnd().split('\n');
  const ops = lines.map((line): WriteOp => {
    const [key, value] = JSON.parse(line) as [string, string];
    const stored = Buffer.from(value, 'base64');
    return { type: 'put', key, value: key === metaKey('schema') ? ofThisVersion(stored, key) : stored };
  });
  const store = await openLevelStore({ path: dataPaths(data).store });
  await store.write(ops);
  await store.close();
}

/** What is replayed was read in every version since; only the number that says so has moved on. */
function ofThisVersion(meta: Buffer, key: string): Buffer {
  const said = JSON.parse(unseal(meta, key).toString('utf8')) as object;
  return seal(JSON.stringify({ ...said, schema: SCHEMA_VERSION }), key);
}

function placeRecordedKey(dir: string): void {
  const own = openKeyRegistry({ dir, clock: systemClock, random: systemRandom }).rows();
  const recorded: KeyRow[] = JSON.parse(readFileSync(new URL('keys.json', RECORDED), 'utf8'));
  const ended = recorded.map((row) => ({ ...row, not_after: own[0]?.not_before ?? null }));
  writeRows(dir, [...ended, ...own]);
}
