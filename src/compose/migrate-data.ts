import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rebuildFolds } from '#eventlog/check-log.ts';
import { encodeCheckpoint, readCheckpoint, signCheckpoint } from '#eventlog/checkpoint.ts';
import { EMPTY_HEAD, walkCommits } from '#eventlog/commit-walk.ts';
import type { LogHead } from '#eventlog/event-log.ts';
import type { Finding } from '#eventlog/finding.ts';
import { type LogMeta, logMetaOf, OtherSchemaError } from '#eventlog/log-meta.ts';
import { carryRows } from '#eventlog/migrate/carry-rows.ts';
import { type CopiedLog, copyLog, newestCommitOf } from '#eventlog/migrate/copy-log.ts';
import { FORMS, type Forms, stepsFrom } from '#eventlog/migrate/forms.ts';
import type { SchemaStep } from '#eventlog/migrate/step.ts';
import { RecordAudit } from '#eventlog/record-audit.ts';
import { StoreScratch } from '#eventlog/scratch.ts';
import { sha256Hex } from '#json/canonical.ts';
import { dataPaths } from '#operation/data-directory.ts';
import {
  type DecidedMigration,
  decidedMigration,
  exchangeStores,
  formerPaths,
  migrationPaths,
} from '#operation/exchange-stores.ts';
import { type Clock, type Random, timestamp } from '#protocol/ports.ts';
import { type KeyRegistry, openKeyRegistry } from '#receipts/key-registry.ts';
import { loadRooms } from '#resources/load-rooms.ts';
import { saidSlots } from '#resources/said-slots.ts';
import { writeFileAtomicSync } from '#store/atomic-file.ts';
import { DataFileError } from '#store/checked-file.ts';
import { commitKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { acquireOwnerLock } from '#store/owner-lock.ts';
import { SEAL_BYTES } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { DAMAGE_FILE, type DamagedTable } from '#store/table-check.ts';
import { checkStore, tableSeal } from './open-data.ts';

const MIB = 1024 * 1024;
/** Write-ahead log, tables being merged and the reserve of the new store, beside what it holds. */
const MARGIN_BYTES = 64 * MIB;
const OWNER_ONLY = 0o600;

export interface MigrationParts {
  data: string;
  clock: Clock;
  random: Random;
  /** Goes on with a damaged log: what is damaged stays refused in the new form. */
  keepsDamaged: boolean;
  /** Default: those of this version. */
  forms?: Forms;
  /** Bytes free on the disk of a directory. Default: asks the file system. */
  freeBytes?(directory: string): number;
  /** Called before each act of the exchange of the stores. Default: nothing. */
  between?(act: string): void;
}

export type MigrationStep =
  | { kind: 'progress'; work: 'copied' | 'checked'; commits: number }
  | { kind: 'finding'; finding: Finding }
  /** The log is damaged and stays as it is. `cause` is set where it cannot be kept damaged either. */
  | { kind: 'refused'; cause?: string }
  | { kind: 'current'; schema: number }
  | { kind: 'migrated'; from: number; to: number; former: string };

/**
 * Brings a stopped data directory to the current form: writes its log anew beside the old one, checks the new one whole, and
 * exchanges the two. Interrupted before the exchange it begins again, later it goes on. Throws StoreOpenError,
 * OtherSchemaError, DataFileError, IntegrityError, and an Error that says how much room is missing; nothing was changed then.
 */
export async function* migrateData(parts: MigrationParts): AsyncGenerator<MigrationStep, void> {
  const { data, between } = parts;
  refuseMissing(data);
  const lock = await acquireOwnerLock(dataPaths(data).store);
  try {
    const decided = decidedMigration(data) ?? (yield* draft(parts));
    if (decided === undefined) return;
    exchangeStores(data, decided, between);
    yield { kind: 'migrated', ...decided, former: formerPaths(data, decided.from).dir };
  } finally {
    await lock.release();
  }
}

/** The lock would make the directory of the store. */
function refuseMissing(data: string): void {
  if (existsSync(dataPaths(data).store) || decidedMigration(data) !== undefined) return;
  throw new DataFileError(data, 'holds no event log', 'Name the data directory with --data.');
}

/** Writes the new form into the directory of the migration; undefined where there is nothing to exchange. */
async function* draft(parts: MigrationParts): AsyncGenerator<MigrationStep, DecidedMigration | undefined> {
  const { data, clock, random, forms = FORMS } = parts;
  const paths = dataPaths(data);
  // What an interrupted run left; room for this one.
  rmSync(paths.migration, { recursive: true, force: true });
  const keys = openKeyRegistry({ dir: paths.keys, clock, random });
  const damagedTables: DamagedTable[] = [];
  const source = await openLevelStore({
    path: paths.store,
    isOwned: true,
    seal: tableSeal(() => keys),
    onDamaged: (table) => damagedTables.push(table),
  });
  let decided: DecidedMigration | undefined;
  try {
    const from = metaOf(source);
    if (from.schema === forms.current) yield { kind: 'current', schema: from.schema };
    else decided = yield* newForm(parts, { source, from, steps: stepsOf(from, forms), keys, damagedTables });
  } finally {
    await source.close();
    if (decided === undefined) rmSync(paths.migration, { recursive: true, force: true });
  }
  return decided;
}

function metaOf(source: Store): LogMeta {
  const meta = logMetaOf(source);
  if (meta !== undefined) return meta;
  throw new IntegrityError('m/schema', 'the schema record', 'none that can be read');
}

function stepsOf({ schema }: LogMeta, forms: Forms): SchemaStep[] {
  const steps = stepsFrom(schema, forms);
  if (steps === undefined || steps.length === 0) throw new OtherSchemaError(schema, forms);
  return steps;
}

interface OldLog {
  source: Store;
  from: LogMeta;
  steps: readonly SchemaStep[];
  keys: KeyRegistry;
  /** Tables that the opening found damaged. */
  damagedTables: readonly DamagedTable[];
}

async function* newForm(
  parts: MigrationParts,
  old: OldLog,
): AsyncGenerator<MigrationStep, DecidedMigration | undefined> {
  const { data, clock, keepsDamaged, forms = FORMS } = parts;
  const { source, from, steps, keys } = old;
  const next = migrationPaths(data);
  refuseFormer(formerPaths(data, from.schema).dir);
  refuseShortage(parts);
  const known = new Set<string>();
  const report = function* (finding: Finding): Generator<MigrationStep, void> {
    known.add(finding.where);
    yield { kind: 'finding', finding };
  };
  for (const finding of await findingsBefore(data, old)) yield* report(finding);
  mkdirSync(next.dir, { recursive: true, mode: 0o700 });
  const target = await openLevelStore({ path: next.store, seal: tableSeal(() => keys) });
  try {
    const { head, isWhole, lacksEvents } = yield* copy(old, target, report);
    if (!isWhole) return yield* refuse(UNREADABLE_COMMIT);
    if (known.size > 0 && !keepsDamaged) return yield* refuse();
    if (lacksEvents) await carryRows(source, target, steps);
    else await makeRows(target);
    if (known.size > 0) for (const key of await markDamaged(target)) known.add(key);
    if (head.commit > 0) placeCheckpoint(next.checkpoint, target, keys, { clock, logId: from.logId, head });
    // Closes the new store, as the gateway finds it.
    let unknown = 0;
    const paths = { store: next.store, checkpoint: next.checkpoint };
    const stored = readCheckpoint(next.checkpoint, keys);
    for await (const step of checkStore(target, { paths, keys, stored, found: [], forms })) {
      if (step.kind === 'progress') yield { kind: 'progress', work: 'checked', commits: step.commits };
      if (step.kind !== 'finding' || known.has(step.finding.where)) continue;
      unknown += 1;
      yield { kind: 'finding', finding: step.finding };
    }
    if (unknown > 0 && !keepsDamaged) return yield* refuse();
    if (lacksEvents) takeLostAlong(dataPaths(data).store, next.store);
    return { from: from.schema, to: from.schema + steps.length };
  } finally {
    await target.close();
  }
}

const UNREADABLE_COMMIT =
  'A commit record cannot be read, and it alone says what it wrote: --keep-damaged cannot keep it. Restore a backup.';

async function* refuse(cause?: string): AsyncGenerator<MigrationStep, undefined> {
  yield { kind: 'refused', ...(cause === undefined ? {} : { cause }) };
  return undefined;
}

async function* copy(
  { source, from, steps, keys }: OldLog,
  target: Store,
  report: (finding: Finding) => Generator<MigrationStep, void>,
): AsyncGenerator<MigrationStep, CopiedLog> {
  const copying = copyLog({ source, target, from, steps, keys });
  for (let step = await copying.next(); ; step = await copying.next()) {
    if (step.done) return step.value;
    if (step.value.kind === 'finding') yield* report(step.value.finding);
    else yield { ...step.value, work: 'copied' };
  }
}

function refuseFormer(dir: string): void {
  if (!existsSync(dir)) return;
  throw new DataFileError(
    dir,
    'is there already, from a migration before',
    'Move it away or delete it, and run this again.',
  );
}

function refuseShortage({ data, freeBytes = freeBytesOf }: MigrationParts): void {
  const neededBytes = sizeOf(dataPaths(data).store) + MARGIN_BYTES;
  const free = freeBytes(data);
  if (free >= neededBytes) return;
  const [needed, found] = [neededBytes, free].map((bytes) => `${(bytes / MIB).toFixed(1)} MiB`);
  throw new Error(
    `The new form is written beside the old one, which needs ${needed}; ${found} are free on the disk of ${data}. ` +
      'Free as much as is missing, or move the data directory to a larger disk, and run this again.',
  );
}

function freeBytesOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

function sizeOf(directory: string): number {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}

/** Damage that shows before anything is copied. A log that lost its end is refused: its event ids would be given again. */
async function findingsBefore(
  data: string,
  { source, keys, from, damagedTables }: OldLog,
): Promise<Finding[]> {
  const paths = dataPaths(data);
  const hash = (where: string, expected: string, observed: string): Finding => ({
    problem: 'hash',
    where,
    expected,
    observed,
  });
  const findings = damagedTables.map(({ file, lost }) =>
    hash(join(paths.store, basename(file)), 'whole blocks', `${lost.length} damaged blocks of keys`),
  );
  for (const { after, upTo } of source.lost)
    findings.push(hash(paths.store, 'whole tables', `damage between "${after}" and "${upTo}"`));
  const stored = readCheckpoint(paths.checkpoint, keys);
  if (stored.status === 'bad') findings.push(hash(paths.checkpoint, stored.expected, stored.observed));
  if (stored.status !== 'ok') return findings;
  const { commit, hash: signed, log_id } = stored.checkpoint;
  if (log_id !== from.logId)
    findings.push(hash(paths.checkpoint, `a checkpoint of ${from.logId}`, `one of ${log_id}`));
  const newest = await newestCommitOf(source);
  if (newest.n < commit)
    throw new DataFileError(
      paths.checkpoint,
      `names commit ${commit}, and the log ends with commit ${newest.n}`,
      'Restore a backup; or start the version that wrote the log and accept the loss with "harn-gateway log accept-truncation".',
    );
  return [...findings, ...unlikeSigned(source, commit, signed)];
}

function unlikeSigned(source: Store, commit: number, expected: string): Finding[] {
  const where = commitKey(commit);
  const sealed = source.get(where);
  const observed = sealed === undefined ? 'no commit' : sha256Hex(sealed.subarray(SEAL_BYTES));
  return observed === expected ? [] : [{ problem: 'chain', where, expected, observed }];
}

/** Folds the events of the new log. What it finds, the check behind it finds too. */
async function makeRows(target: Store): Promise<void> {
  const { project } = await loadRooms();
  const rows = new StoreScratch(target);
  for await (const _ of rebuildFolds({ store: target, projection: project, said: saidSlots, rows }));
  await rows.write();
}

/**
 * In the place of each record that is not there: reading it is refused, as before, and not answered as if there were none.
 * Returns their keys.
 */
async function markDamaged(target: Store): Promise<string[]> {
  const audit = new RecordAudit(target);
  for await (const { commit, before } of walkCommits(target, EMPTY_HEAD))
    if (commit !== undefined) await audit.take(commit, before);
  const missing = audit.findings().map(({ where }) => where);
  await target.write(missing.map((key) => ({ type: 'put', key, value: NO_RECORD })));
  return missing;
}

/** Matches no hash and no key. */
const NO_RECORD = Buffer.alloc(SEAL_BYTES);

function placeCheckpoint(
  path: string,
  target: Store,
  keys: KeyRegistry,
  facts: { clock: Clock; logId: string; head: LogHead },
): void {
  const { clock, logId, head } = facts;
  const checkpoint = signCheckpoint(target, keys, { head, logId, time: timestamp(clock.now()) });
  writeFileAtomicSync(path, encodeCheckpoint(checkpoint), OWNER_ONLY);
}

/** Which keys were lost: rows taken along may be missing among them, and are refused instead of answered as absent. */
function takeLostAlong(from: string, to: string): void {
  if (existsSync(join(from, DAMAGE_FILE))) copyFileSync(join(from, DAMAGE_FILE), join(to, DAMAGE_FILE));
}
