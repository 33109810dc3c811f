import { readFileSync } from 'node:fs';
import { dataPaths } from '../../src/operation/data-directory.ts';
import { openLevelStore } from '../../src/store/level-store.ts';
import type { WriteOp } from '../../src/store/store.ts';

/** A recorded history and what its replays told; written once, and never again. */
export const RECORDED = new URL('../../fixtures/replay/', import.meta.url);

/** Makes a store of its own from recorded history: one `["key", "base64"]` per line. */
export async function placeRecordedStore(data: string): Promise<void> {
  const lines = readFileSync(new URL('history.jsonl', RECORDED), 'utf8').trimEnd().split('\n');
  const ops = lines.map((line): WriteOp => {
    const [key, value] = JSON.parse(line) as [string, string];
    return { type: 'put', key, value: Buffer.from(value, 'base64') };
  });
  const store = await openLevelStore({ path: dataPaths(data).store });
  await store.write(ops);
  await store.close();
}
