import type { KeyObject } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Config } from '#config/load.ts';
import { type CheckStep, rebuildFolds } from '#eventlog/check-log.ts';
import { encodeCheckpoint, readCheckpoint } from '#eventlog/checkpoint.ts';
import type { Checkpoint } from '#eventlog/event-log.ts';
import type { Finding } from '#eventlog/finding.ts';
import { removedCommits } from '#eventlog/log-copy.ts';
import { logMetaPut } from '#eventlog/log-meta.ts';
import { FORMS } from '#eventlog/migrate/forms.ts';
import { StoreScratch } from '#eventlog/scratch.ts';
import { dataPaths } from '#operation/data-directory.ts';
import type { Clean } from '#protocol/clean.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Clock, Logger, Random } from '#protocol/ports.ts';
import { type KeyRegistry, openKeyRegistry, plantRegistry } from '#receipts/key-registry.ts';
import type { Redactor } from '#redaction/redactor.ts';
import type { BackupHeader } from '#resources/backup/schema.ts';
import { loadRooms } from '#resources/load-rooms.ts';
import { saidSlots } from '#resources/said-slots.ts';
import { syncDirectorySync, writeFileAtomicSync } from '#store/atomic-file.ts';
import { commitKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import type { Store, WriteOp } from '#store/store.ts';
import { BackupError, type BackupItem, type BackupSource, readBackup } from './backup-file.ts';
import { BackupKeyError, openSecrets, type SecretFile } from './backup-secrets.ts';
import { checkStore, isAlive, openData } from './open-data.ts';

const OWNER_ONLY = 0o600;
const PRIVATE = 0o700;
/** Written to the new store at once. */
const BATCH_BYTES = 4 * 1024 * 1024;
const DELETES_AT_ONCE = 10_000;

export interface BackupReading {
  /** The full backup first, then its increments in their order. */
  sources: readonly BackupSource[];
  clock: Clock;
  random: Random;
  /** The keys that count, by a JWKS that was kept elsewhere. Default: those that the backup names itself. */
  trusted?: JsonValue;
}

export interface RestoreParts extends BackupReading {
  /** Its `store.data` is what is made. */
  config: Config;
  logger: Logger;
  redactor: Redactor;
  /** The private key for the secrets of a backup; undefined leaves them where they are. */
  identityFor(header: BackupHeader): KeyObject | undefined;
  /** Why the log goes on although it holds less than was given out: it goes into the log. */
  reason: string;
  /** File of the newest checkpoint that is left of the gateway; says how much is lost. Default: unknown. */
  checkpointFile?: string;
}

export type RestoreStep =
  | { kind: 'progress'; work: 'read' | 'checked'; events: number }
  | { kind: 'finding'; finding: Finding }
  /** The backup is not whole; nothing was made. */
  | { kind: 'refused' }
  | { kind: 'restored'; restored: Restored };

export interface Restored {
  data: string;
  /** RFC 3339 time of the newest backup. */
  created_at: string;
  commit: number;
  event_id: string;
  /** How many commits are known to be lost; null where no newer checkpoint was given. */
  lost_commits: number | null;
  /** Whether the signing and input keys are those of the backup; else new ones were made. */
  has_keys: boolean;
  /** Vault files, below the data directory: their place is where the configuration says. */
  vault_files: string[];
}

/**
 * Makes a data directory of a backup: writes everything beside it, folds it again, checks it whole, records the acceptance with its
 * reason at the begin of a new epoch of ids, and only then puts it in its place. Throws BackupError; nothing was made then.
 */
export async function* restoreData(parts: RestoreParts): AsyncGenerator<RestoreStep, void> {
  const data = resolve(parts.config.store.data);
  refuseFull(data);
  const draft = draftOf(data);
  try {
    const read = yield* readInto(draft, parts, parts);
    if (!(yield* isWhole(draft, parts))) {
      yield { kind: 'refused' };
      return;
    }
    const lost = lostSince(read.header, draft, parts);
    await accept(draft, read.header, lost, parts);
    place(draft, data);
    const { created_at, checkpoint } = read.header;
    const { commit, event_id } = checkpoint;
    const { has_keys, vault_files } = read;
    const lost_commits = lost === undefined ? null : Math.max(0, lost.commit - commit);
    yield {
      kind: 'restored',
      restored: { data, created_at, commit, event_id, lost_commits, has_keys, vault_files },
    };
  } catch (error) {
    throw fullDisk(error, dirname(data));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Checks a backup as `log check` checks data, in a folder of its own that goes at the end. */
export async function* checkBackup(
  parts: BackupReading & { scratchDir: string },
): AsyncGenerator<CheckStep, void> {
  const draft = mkdtempSync(join(parts.scratchDir, 'harn-backup-check-'));
  try {
    yield* toCheck(readInto(draft, parts));
    yield* checkDraft(draft, parts);
  } catch (error) {
    throw fullDisk(error, parts.scratchDir);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function* toCheck(steps: AsyncIterable<RestoreStep>): AsyncGenerator<CheckStep, void> {
  for await (const step of steps) if (step.kind === 'finding') yield step;
}

function refuseFull(data: string): void {
  if (!existsSync(data) || readdirSync(data).length === 0) return;
  throw new BackupError(
    `${data} is not empty: a restore overwrites nothing. Move it away, or name another folder with --data.`,
  );
}

const DRAFT = '.restoring-';

/** Beside its place, so that one rename puts it there. Those of restores that were killed go. */
function draftOf(data: string): string {
  const [dir, prefix] = [dirname(data), `${basename(data)}${DRAFT}`];
  mkdirSync(dir, { recursive: true });
  for (const name of readdirSync(dir)) {
    const pid = Number(name.startsWith(prefix) && name.slice(prefix.length));
    if (pid > 0 && !isAlive(pid)) rmSync(join(dir, name), { recursive: true, force: true });
  }
  const draft = join(dir, `${prefix}${process.pid}`);
  mkdirSync(draft, { mode: PRIVATE });
  return draft;
}

interface ReadIn {
  header: BackupHeader;
  has_keys: boolean;
  vault_files: string[];
}

/** Writes what the backups hold into an empty folder, and folds it. */
async function* readInto(
  dir: string,
  reading: BackupReading,
  secrets?: Pick<RestoreParts, 'identityFor'>,
): AsyncGenerator<RestoreStep, ReadIn> {
  const paths = dataPaths(dir);
  const store = await openLevelStore({ path: paths.store });
  const files = new RestoredFiles(dir);
  let header: BackupHeader | undefined;
  let sealed: { name: string; header: BackupHeader; sealed: string } | undefined;
  let records = 0;
  try {
    const batch = new Batch(store);
    for (const source of reading.sources)
      for await (const item of readBackup(source, header, reading.trusted)) {
        if (item.kind === 'header') {
          header = item.header;
          await files.forget();
        } else if (item.kind === 'records') records += await batch.take(await item.ops());
        else if (item.kind !== 'secrets') await files.take(item);
        else if (header !== undefined) sealed = { name: source.name, header, sealed: item.sealed };
        yield { kind: 'progress', work: 'read', events: records };
      }
    if (header === undefined) throw new BackupError('There is no backup to read.');
    await batch.write();
    await dropRemoved(store);
    await store.write([logMetaPut({ logId: header.log_id, schema: header.schema })]);
    for await (const finding of foldAgain(store)) yield { kind: 'finding', finding };
  } finally {
    await files.close();
    await store.close();
  }
  const opened = sealed === undefined ? [] : await openedBy(secrets, sealed);
  for (const { name, bytes } of opened) placeSecret(dir, name, bytes);
  const signedMs = Date.parse(header.checkpoint.time);
  const has_keys = plantRegistry({ dir: paths.keys, ...reading }, header.signing_keys, signedMs);
  writeFileAtomicSync(paths.checkpoint, encodeCheckpoint(header.checkpoint), OWNER_ONLY);
  const vault_files = opened.map(({ name }) => name).filter((name) => name.startsWith('vaults/'));
  return { header, has_keys, vault_files };
}

/** Writes are made in batches; each is one fsync. */
class Batch {
  readonly #store: Store;
  #ops: WriteOp[] = [];
  #bytes = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns how many there were. */
  async take(ops: readonly WriteOp[]): Promise<number> {
    for (const op of ops) {
      this.#ops.push(op);
      this.#bytes += op.key.length + (op.type === 'put' ? op.value.length : 0);
    }
    if (this.#bytes >= BATCH_BYTES) await this.write();
    return ops.length;
  }

  async write(): Promise<void> {
    if (this.#ops.length > 0) await this.#store.write(this.#ops);
    this.#ops = [];
    this.#bytes = 0;
  }
}

/** Commits that the backups before had still. */
async function dropRemoved(store: Store): Promise<void> {
  for (const { from, through } of removedCommits(store))
    for (let n = from; n <= through; n += DELETES_AT_ONCE) {
      const count = Math.min(DELETES_AT_ONCE, through - n + 1);
      await store.write(Array.from({ length: count }, (_, at) => ({ type: 'del', key: commitKey(n + at) })));
    }
}

async function* foldAgain(store: Store): AsyncGenerator<Finding, void> {
  const { project } = await loadRooms();
  const rows = new StoreScratch(store);
  yield* rebuildFolds({ store, projection: project, said: saidSlots, rows });
  await rows.write();
}

async function openedBy(
  secrets: Pick<RestoreParts, 'identityFor'> | undefined,
  { name, header, sealed }: { name: string; header: BackupHeader; sealed: string },
): Promise<SecretFile[]> {
  const identity = secrets?.identityFor(header);
  if (identity === undefined) return [];
  try {
    return await openSecrets(sealed, identity);
  } catch (error) {
    if (!(error instanceof BackupKeyError)) throw error;
    throw new BackupError(
      `The passphrase or private key ${error.message}: ${name} was encrypted to another one. ` +
        'Give the right one; or give none, and the rest is restored with new keys.',
    );
  }
}

const FILE_ROOTS = ['workspaces', 'agent-cards'];
const SECRET_PLACE =
  /^(?:keys\/[\w.-]+|dev-api-key|api-keys\.json|sample-connector-secret(?:\.sha256)?|vaults\/[\w-]+\/[\w.-]+)$/;

/** Who makes a backup by hand may name any place in it. */
function refusePlace(name: string, isKnown: boolean): void {
  const parts = name.split('/');
  if (isKnown && parts.every((part) => part !== '' && part !== '.' && part !== '..')) return;
  throw new BackupError(`The backup names a file that is none of a gateway: ${JSON.stringify(name)}.`);
}

function placeSecret(dir: string, name: string, bytes: Buffer): void {
  refusePlace(name, SECRET_PLACE.test(name));
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE });
  writeFileSync(path, bytes, { mode: OWNER_ONLY, flush: true });
}

/** The files beside the log: each backup has all of them. */
class RestoredFiles {
  readonly #dir: string;
  #open: { handle: Awaited<ReturnType<typeof open>> } | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async forget(): Promise<void> {
    await this.close();
    for (const root of FILE_ROOTS) rmSync(join(this.#dir, root), { recursive: true, force: true });
  }

  async take(item: Extract<BackupItem, { kind: 'file' | 'bytes' | 'end' }>): Promise<void> {
    if (item.kind === 'bytes') {
      await this.#open?.handle.writeFile(await item.bytes());
      return;
    }
    await this.close();
    if (item.kind === 'end') return;
    const { path } = item.file;
    refusePlace(path, FILE_ROOTS.some((root) => path.startsWith(`${root}/`)) && !path.includes('\\'));
    const place = join(this.#dir, path);
    mkdirSync(dirname(place), { recursive: true, mode: PRIVATE });
    this.#open = { handle: await open(place, 'wx', OWNER_ONLY) };
  }

  async close(): Promise<void> {
    const { handle } = this.#open ?? {};
    this.#open = undefined;
    await handle?.sync();
    await handle?.close();
  }
}

async function* isWhole(draft: string, parts: RestoreParts): AsyncGenerator<RestoreStep, boolean> {
  let findings = 0;
  for await (const step of checkDraft(draft, parts)) {
    if (step.kind === 'progress') yield { kind: 'progress', work: 'checked', events: step.events };
    if (step.kind !== 'finding') continue;
    findings += 1;
    yield { kind: 'finding', finding: step.finding };
  }
  return findings === 0;
}

/** The whole check, with the folds rebuilt on the disk. */
async function* checkDraft(
  draft: string,
  { clock, random }: Pick<BackupReading, 'clock' | 'random'>,
): AsyncGenerator<CheckStep, void> {
  const paths = dataPaths(draft);
  const keys = openKeyRegistry({ dir: paths.keys, clock, random });
  const stored = readCheckpoint(paths.checkpoint, keys);
  const folds = await openLevelStore({ path: join(draft, 'folds') });
  try {
    const store = await openLevelStore({ path: paths.store });
    const scratch = new StoreScratch(folds);
    yield* checkStore(store, { paths, keys, stored, found: [], forms: FORMS, scratch });
  } finally {
    await folds.close();
    rmSync(join(draft, 'folds'), { recursive: true, force: true });
  }
}

/** The newest checkpoint that is left. Throws BackupError for one that its gateway did not sign, or of another log. */
function lostSince(
  header: BackupHeader,
  draft: string,
  { checkpointFile, clock, random }: RestoreParts,
): Checkpoint | undefined {
  if (checkpointFile === undefined) return undefined;
  const keys: KeyRegistry = openKeyRegistry({ dir: dataPaths(draft).keys, clock, random });
  const read = readCheckpoint(checkpointFile, keys);
  if (read.status === 'none')
    throw new BackupError(`${checkpointFile} does not exist. Leave --checkpoint out.`);
  if (read.status === 'ok' && read.checkpoint.log_id === header.log_id) return read.checkpoint;
  const why = read.status === 'ok' ? `is of another log (${read.checkpoint.log_id})` : `has ${read.observed}`;
  throw new BackupError(
    `${checkpointFile} ${why}, so that it says nothing of this one. Take checkpoint.json of the lost gateway, or leave it out.`,
  );
}

async function accept(
  draft: string,
  { created_at, checkpoint }: BackupHeader,
  lost: Checkpoint | undefined,
  { config, logger, clock, random, redactor, reason }: RestoreParts,
): Promise<void> {
  const { log } = await openData({
    config: { ...config, store: { ...config.store, data: draft } },
    logger,
    clock,
    random,
  });
  try {
    const known = lost && { commit: lost.commit, event_id: lost.event_id, time: lost.time };
    const backup = {
      created_at,
      commit: checkpoint.commit,
      event_id: checkpoint.event_id,
      newest_known: known ?? null,
    };
    await log.acceptRestore({ actor: 'operator' }, becauseOf(redactor, reason, backup));
  } finally {
    await log.close();
  }
}

/** What an operator says, as the log may have it. */
export function becauseOf(
  redactor: Redactor,
  reason: string,
  backup?: JsonObject,
): Clean<{ reason: string; backup?: JsonObject }> {
  return redactor.clean(backup === undefined ? { reason } : { reason, backup }).value;
}

/** What lies in it is durable by now; its names are once the folder above is. */
function place(draft: string, data: string): void {
  syncDirectorySync(draft);
  if (existsSync(data)) rmdirSync(data);
  renameSync(draft, data);
  syncDirectorySync(dirname(data));
}

/** A full disk in words; every other error as it is. */
function fullDisk(error: unknown, dir: string): unknown {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const isFull = ('code' in at && at.code === 'ENOSPC') || /No space left|disk is full/.test(at.message);
    if (isFull)
      return new BackupError(
        `The disk of ${dir} is full. Nothing was made. Free room there, or choose a place on a larger disk, and run it again.`,
      );
  }
  return error;
}
