import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, systemRandom } from '#compose/compose.ts';
import { encodeCheckpoint, signCheckpoint } from '#eventlog/checkpoint.ts';
import { logMetaOf, logMetaPut } from '#eventlog/log-meta.ts';
import { carryRows } from '#eventlog/migrate/carry-rows.ts';
import { copyLog } from '#eventlog/migrate/copy-log.ts';
import { type Forms, SCHEMA_VERSION } from '#eventlog/migrate/forms.ts';
import type { NamedRecord, SchemaStep, StoredCommit } from '#eventlog/migrate/step.ts';
import { dataPaths } from '#operation/data-directory.ts';
import type { JsonObject } from '#protocol/json.ts';
import { openKeyRegistry } from '#receipts/key-registry.ts';
import { writeFileAtomicSync } from '#store/atomic-file.ts';
import { openLevelStore } from '#store/level-store.ts';

/** The form before the current one, as it never was. */
export const MADE_UP = SCHEMA_VERSION - 1;

/**
 * The form made up for tests: the entries of a commit call their `trace_id` `trace`, a segment is a JSON array of its events,
 * and a frame lies in two rows, `fa/` with its first half and `fb/` with the rest.
 */
const fromMadeUp: SchemaStep = {
  from: MADE_UP,
  commit: ({ members, records, erased }) => ({
    members: withEntries(members, ({ trace, ...entry }) => ({ ...entry, trace_id: trace ?? null })),
    records: joinedFrames(records).map((record) =>
      withContent(record, 'e/', (events) => asLines(JSON.parse(events.toString()) as unknown[])),
    ),
    erased: [...new Map(erased.map(([key, sha256]) => [joinedKey(key), sha256]))],
  }),
  rows: (key, stored) => [[key, stored]],
};

/** The step back, by which tests make a log of the made-up form. */
const toMadeUp: SchemaStep = {
  from: SCHEMA_VERSION,
  commit: ({ members, records, erased }: StoredCommit) => ({
    members: withEntries(members, ({ trace_id, ...entry }) => ({ ...entry, trace: trace_id ?? null })),
    records: records
      .flatMap(halves)
      .map((record) => withContent(record, 'e/', (lines) => `[${lines.toString().split('\n').join(',')}]`)),
    erased: erased.flatMap(([key, sha256]): [string, string][] =>
      (isFrame(key) ? [`fa/${key.slice(2)}`, `fb/${key.slice(2)}`] : [key]).map((each) => [each, sha256]),
    ),
  }),
  rows: (key, stored) => [[key, stored]],
};

/** What the gateway would know if the made-up form had been released. */
export const FORMS_WITH_MADE_UP: Forms = { current: SCHEMA_VERSION, steps: [fromMadeUp] };

/** Brings the log of a stopped data directory to the made-up form, and signs its checkpoint. */
export async function makeUpForm(data: string): Promise<void> {
  const paths = dataPaths(data);
  const keys = openKeyRegistry({ dir: paths.keys, clock: systemClock, random: systemRandom });
  const source = await openLevelStore({ path: paths.store });
  const made = join(data, 'made-up');
  mkdirSync(made);
  const target = await openLevelStore({ path: made });
  const meta = logMetaOf(source);
  if (meta === undefined) throw new Error('no log');
  const copying = copyLog({ source, target, from: meta, steps: [toMadeUp], keys });
  let step = await copying.next();
  while (!step.done) step = await copying.next();
  await carryRows(source, target, [toMadeUp]);
  await target.write([logMetaPut({ ...meta, schema: MADE_UP })]);
  const { head } = step.value;
  if (head.commit > 0) {
    const facts = { head, logId: meta.logId, time: '2026-11-23T00:00:00.000Z' };
    writeFileAtomicSync(paths.checkpoint, encodeCheckpoint(signCheckpoint(target, keys, facts)), 0o600);
  }
  await source.close();
  await target.close();
  rmSync(paths.store, { recursive: true });
  renameSync(made, paths.store);
}

const isFrame = (key: string): boolean => key.startsWith('f/');
const joinedKey = (key: string): string => (/^f[ab]\//.test(key) ? `f/${key.slice(3)}` : key);

function withEntries(members: JsonObject, rename: (entry: JsonObject) => JsonObject): JsonObject {
  return { ...members, entries: (members['entries'] as JsonObject[]).map(rename) };
}

function withContent(record: NamedRecord, prefix: string, change: (content: Buffer) => string): NamedRecord {
  if (!record.key.startsWith(prefix) || record.content === undefined) return record;
  return { ...record, content: Buffer.from(change(record.content)) };
}

const asLines = (events: unknown[]): string => events.map((event) => JSON.stringify(event)).join('\n');

function halves(record: NamedRecord): NamedRecord[] {
  const { key, sha256, content } = record;
  if (!isFrame(key)) return [record];
  const middle = Math.floor((content?.length ?? 0) / 2);
  return [
    { key: `fa/${key.slice(2)}`, sha256, content: content?.subarray(0, middle) },
    { key: `fb/${key.slice(2)}`, sha256, content: content?.subarray(middle) },
  ];
}

function joinedFrames(records: readonly NamedRecord[]): NamedRecord[] {
  const second = new Map(
    records.filter(({ key }) => key.startsWith('fb/')).map((record) => [joinedKey(record.key), record]),
  );
  return records
    .filter(({ key }) => !key.startsWith('fb/'))
    .map((record) => {
      const rest = second.get(joinedKey(record.key))?.content;
      if (!record.key.startsWith('fa/')) return record;
      const { content } = record;
      return {
        ...record,
        key: joinedKey(record.key),
        content: content === undefined || rest === undefined ? undefined : Buffer.concat([content, rest]),
      };
    });
}
