import { readFileSync } from 'node:fs';
import { systemClock, systemRandom } from '../../src/compose.ts';
import { contentOfParts } from '../../src/dispatch/artifact-content.ts';
import { decodeFold } from '../../src/eventlog/fold-record.ts';
import { SCHEMA_VERSION } from '../../src/eventlog/log-meta.ts';
import { dataPaths } from '../../src/operation/data-directory.ts';
import { stateKey } from '../../src/projections/state-keys.ts';
import type { ArtifactState } from '../../src/projections/states.ts';
import { type KeyRow, writeRows } from '../../src/receipts/key-files.ts';
import { openKeyRegistry } from '../../src/receipts/key-registry.ts';
import { contentKey, KEY_KINDS, keysUnder, layoutKey, metaKey } from '../../src/store/keys.ts';
import { openLevelStore } from '../../src/store/level-store.ts';
import { seal, unseal } from '../../src/store/sealed-record.ts';
import type { WriteOp } from '../../src/store/store.ts';
import type { DraftPart } from '../../src/upstream.ts';

/** A recorded history and what its replays told; written once, and never again. */
export const RECORDED = new URL('../../fixtures/replay/', import.meta.url);

/**
 * Makes a store of its own from recorded history, one `["key", "base64"]` per line. The gateway gets a signing key of its own
 * and knows the recorded one, which has ended: it signs nothing here, but verifies what it signed.
 */
export async function placeRecordedStore(data: string, from: URL = RECORDED): Promise<void> {
  placeRecordedKey(dataPaths(data).keys, from);
  const lines = readFileSync(new URL('history.jsonl', from), 'utf8').trimEnd().split('\n');
  const ops = lines.map((line): WriteOp => {
    const [key, value] = JSON.parse(line) as [string, string];
    const stored = Buffer.from(value, 'base64');
    return { type: 'put', key, value: key === metaKey('schema') ? ofThisVersion(stored, key) : stored };
  });
  const store = await openLevelStore({ path: dataPaths(data).store });
  await store.write(ops);
  await store.close();
  await placeContents(data);
}

/** Content lies under what it is since; the recorded history, whose commits name it, keeps it under its Artifact. */
async function placeContents(data: string): Promise<void> {
  const store = await openLevelStore({ path: dataPaths(data).store });
  const recorded = /^b\/(artifact_[^/]+)\/(\d{8})$/;
  const ops: WriteOp[] = [];
  const put = (key: string, value: Buffer | string) =>
    ops.push({ type: 'put', key, value: seal(value, key) });
  const parts = new Map<string, DraftPart[]>();
  for await (const page of store.entries(keysUnder(KEY_KINDS.content.prefix)))
    for (const [key, value] of page) {
      const id = recorded.exec(key)?.[1];
      if (id === undefined) continue;
      parts.set(id, [...(parts.get(id) ?? []), JSON.parse(unseal(value, key).toString())]);
    }
  for (const [id, sent] of parts) {
    const key = stateKey.artifact(id);
    const { resource, internal } = decodeFold(key, store.get(key) as Buffer).state as ArtifactState;
    const { bytes } = contentOfParts(sent, internal.name);
    put(contentKey(resource.workspace_id ?? '', resource.sha256 ?? '', 0), bytes);
    put(layoutKey(id), JSON.stringify(sent.map((part) => ({ part }))));
  }
  await store.write(ops);
  await store.close();
}

/** What is replayed was read in every version since; only the number that says so has moved on. */
function ofThisVersion(meta: Buffer, key: string): Buffer {
  const said = JSON.parse(unseal(meta, key).toString('utf8')) as object;
  return seal(JSON.stringify({ ...said, schema: SCHEMA_VERSION }), key);
}

function placeRecordedKey(dir: string, from: URL): void {
  const own = openKeyRegistry({ dir, clock: systemClock, random: systemRandom }).rows();
  const recorded: KeyRow[] = JSON.parse(readFileSync(new URL('keys.json', from), 'utf8'));
  const ended = recorded.map((row) => ({ ...row, not_after: own[0]?.not_before ?? null }));
  writeRows(dir, [...ended, ...own]);
}
