import { readFileSync } from 'node:fs';
import { systemClock, systemRandom } from '#compose/compose.ts';
import { type CommitRecord, NO_COMMIT_HASH } from '#eventlog/commit-record.ts';
import { decodeFold } from '#eventlog/fold-record.ts';
import { SCHEMA_VERSION } from '#eventlog/log-meta.ts';
import { Rebuild } from '#eventlog/rebuild.ts';
import { MemoryScratch } from '#eventlog/scratch.ts';
import { SegmentWriter } from '#eventlog/segment.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { eventIdOf } from '#protocol/ports.ts';
import type { DraftPart } from '#protocol-client.ts';
import { type KeyRow, writeRows } from '#receipts/key-files.ts';
import { openKeyRegistry } from '#receipts/key-registry.ts';
import { contentOfParts } from '#resources/artifact/content.ts';
import { type ArtifactState, artifactKeys } from '#resources/artifact/state.ts';
import { loadRooms } from '#resources/load-rooms.ts';
import { contentKey, eventKey, KEY_KINDS, keysUnder, layoutKey, metaKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { SEAL_BYTES, seal, sealedHash, unseal } from '#store/sealed-record.ts';
import type { WriteOp } from '#store/store.ts';

const { project } = await loadRooms();

/** A recorded history and what its replays told; written once, and never again. */
export const RECORDED = new URL('../../../../fixtures/replay/', import.meta.url);

/**
 * Makes a store of its own from recorded history, one `["key", "base64"]` per line. The gateway gets a signing key of its own
 * and knows the recorded one, which has ended: it signs nothing here, but verifies what it signed.
 */
export async function placeRecordedStore(data: string, from: URL = RECORDED): Promise<void> {
  placeRecordedKey(dataPaths(data).keys, from);
  const lines = readFileSync(new URL('history.jsonl', from), 'utf8').trimEnd().split('\n');
  const rows = new Map<string, Buffer>();
  for (const line of lines) {
    const [key, value] = JSON.parse(line) as [string, string];
    rows.set(key, Buffer.from(value, 'base64'));
  }
  const store = await openLevelStore({ path: dataPaths(data).store });
  await store.write(await inTodaysForm(rows));
  await store.close();
  await placeContents(data);
}

/** A commit as the recorded histories have it: it names its events one by one, in rows of their own. */
interface RecordedCommit extends CommitRecord {
  event_hashes?: string;
}

/** What was recorded stays what it is, events and frames byte by byte; how it is stored is that of today. */
async function inTodaysForm(rows: ReadonlyMap<string, Buffer>): Promise<WriteOp[]> {
  const ops: WriteOp[] = [];
  const contentAt = (key: string) => unseal(rows.get(key) as Buffer, key);
  const put = (key: string, content: Buffer | string) => {
    const sealed = seal(content, key);
    ops.push({ type: 'put', key, value: sealed });
    return [key, sealedHash(sealed)] as [string, string];
  };
  const scratch = new MemoryScratch();
  const rebuild = new Rebuild(scratch, project);
  const said = JSON.parse(contentAt(metaKey('schema')).toString('utf8')) as object;
  put(metaKey('schema'), JSON.stringify({ ...said, schema: SCHEMA_VERSION }));
  let prev_hash = NO_COMMIT_HASH;
  let next = 1;
  for (const key of [...rows.keys()].filter((at) => at.startsWith(KEY_KINDS.commit.prefix)).sort()) {
    const { event_hashes: _, ...commit }: RecordedCommit = JSON.parse(contentAt(key).toString('utf8'));
    const segments = commit.entries.flatMap(({ events }) => {
      const writer = new SegmentWriter();
      for (const end = next + events; next < end; next += 1)
        writer.add(JSON.parse(contentAt(eventKey(eventIdOf(next))).toString('utf8')));
      return writer.seal();
    });
    const records = segments.map((segment) => {
      for (const event of segment.events) rebuild.fold(event);
      rebuild.enter(segment.key, segment.events);
      return put(segment.key, segment.sealed.subarray(SEAL_BYTES));
    });
    for (const [at] of commit.records) if (rows.has(at)) records.push(put(at, contentAt(at)));
    [, prev_hash] = put(key, JSON.stringify({ ...commit, prev_hash, records } satisfies CommitRecord));
    await rebuild.settle();
  }
  for await (const page of scratch.entries())
    for (const [key, value] of page) ops.push({ type: 'put', key, value });
  return ops;
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
    const key = artifactKeys.artifact(id);
    const { resource, internal } = decodeFold(key, store.get(key) as Buffer).state as ArtifactState;
    const { bytes } = contentOfParts(sent, internal.name);
    put(contentKey(resource.workspace_id ?? '', resource.sha256 ?? '', 0), bytes);
    put(layoutKey(id), JSON.stringify(sent.map((part) => ({ part }))));
  }
  await store.write(ops);
  await store.close();
}

function placeRecordedKey(dir: string, from: URL): void {
  const own = openKeyRegistry({ dir, clock: systemClock, random: systemRandom }).rows();
  const recorded: KeyRow[] = JSON.parse(readFileSync(new URL('keys.json', from), 'utf8'));
  const ended = recorded.map((row) => ({ ...row, not_after: own[0]?.not_before ?? null }));
  writeRows(dir, [...ended, ...own]);
}
