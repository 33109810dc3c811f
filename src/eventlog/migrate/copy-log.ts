import { sha256Hex } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { KeyRegistry } from '#receipts/key-registry.ts';
import { commitKey, KEY_KINDS, keysUnder, lastSegment, SUMMARY_KEY } from '#store/keys.ts';
import { SEAL_BYTES, seal, sealedHash, unseal } from '#store/sealed-record.ts';
import type { Store, WriteOp } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { isDerivedRow, namedHash, rowHash } from '../base-row.ts';
import { NO_COMMIT_HASH, parseCommit } from '../commit-record.ts';
import {
  type CommitRange,
  type CommitSummary,
  readSummary,
  SetHash,
  signSummary,
} from '../commit-summary.ts';
import { EMPTY_HEAD } from '../commit-walk.ts';
import type { LogHead } from '../event-log.ts';
import type { Finding } from '../finding.ts';
import { type LogMeta, logMetaPut } from '../log-meta.ts';
import { RecordAudit } from '../record-audit.ts';
import type { NamedRecord, SchemaStep, StoredCommit } from './step.ts';

export interface CopyParts {
  /** The log in its old form, which takes no writes meanwhile. */
  source: Store;
  /** An empty store. */
  target: Store;
  /** What the old log says of itself. */
  from: LogMeta;
  /** From the old form to the new one, in order; at least one. */
  steps: readonly SchemaStep[];
  /** Signs the summary of removed commits again, which the new hashes change. */
  keys: KeyRegistry;
}

export type CopyStep = { kind: 'finding'; finding: Finding } | { kind: 'progress'; commits: number };

export interface CopiedLog {
  /** Of the new log. */
  head: LogHead;
  /** False where a commit record cannot be read: what it names is not known, so nothing behind it was copied. */
  isWhole: boolean;
  /** Whether events, or what removed events had folded to, are damaged, so that derived rows cannot be made again. */
  lacksEvents: boolean;
}

/** Written in one batch: few fsyncs, little memory. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_COMMITS = 1_000;

/**
 * Writes a log anew, commit by commit, in the form its steps make: the commit records, chained again, and the records they name.
 * The first commit says where the log came from (`migrated_from`). Derived rows are left to others, but for those that are the
 * base of what retention removed. Damaged records and broken links are findings; they do not end it.
 */
export async function* copyLog({
  source,
  target,
  from,
  steps,
  keys,
}: CopyParts): AsyncGenerator<CopyStep, CopiedLog> {
  const audit = new RecordAudit(source);
  const writer = new CommitWriter(target);
  const { hash } = await newestCommitOf(source);
  const origin = { log_id: from.logId, schema: from.schema, hash };
  const to = from.schema + steps.length;
  writer.put([logMetaPut({ logId: from.logId, schema: to })]);
  const summary = readSummary(source);
  const removed = summary && new RemovedCommits(source, summary);
  let before = NO_COMMIT_HASH;
  for await (const read of readCommits(source, summary)) {
    if ('problem' in read) {
      yield { kind: 'finding', finding: read };
      return { head: await writer.end(), isWhole: false, lacksEvents: true };
    }
    if (read.prevHash !== before) yield { kind: 'finding', finding: brokenLink(read, before) };
    before = read.hash;
    if (read.range !== undefined) {
      writer.pass(read.range);
      continue;
    }
    removed?.take(read);
    const commit = await withContents(read, audit);
    if (read.n === 1) commit.members['migrated_from'] = [...formerOrigins(commit), origin];
    const { records, rows } = withoutRows(source, steps, commit);
    await writer.write(read.n, steps.reduce(stepped, { ...commit, records }), rows);
    yield { kind: 'progress', commits: read.n };
  }
  if (removed !== undefined) {
    for await (const records of removed.records()) {
      const commit = { members: { entries: [] }, records, erased: [] };
      const { records: primary, rows } = withoutRows(source, steps, commit);
      writer.keep(steps.reduce(stepped, { ...commit, records: primary }).records, rows);
    }
    await writer.summarise(keys);
  }
  const unlikeSum = removed?.findings();
  for (const finding of unlikeSum ?? []) yield { kind: 'finding', finding };
  const damaged = unlikeSum?.length === 0 ? audit.unreadable() : audit.findings();
  for (const finding of damaged) yield { kind: 'finding', finding };
  const lacksEvents = damaged.some(({ where }) => isNeededByFolds(where));
  return { head: await writer.end(), isWhole: true, lacksEvents };
}

const stepped = (commit: StoredCommit, step: SchemaStep): StoredCommit => step.commit(commit);

const isNeededByFolds = (key: string): boolean =>
  isDerivedRow(key) || [KEY_KINDS.event, KEY_KINDS.base].some(({ prefix }) => key.startsWith(prefix));

/** A commit record as every stored form has it, whatever else it says. */
interface ReadCommit {
  /** Set for commits whose records were removed. */
  range?: CommitRange;
  n: number;
  hash: string;
  prevHash: string;
  records: [string, string][];
  erased: [string, string][];
  members: JsonObject;
}

/** Number and hash of the newest commit, in any form; of an empty log 0 and the hash of no commit. */
export async function newestCommitOf(source: Store): Promise<{ n: number; hash: string }> {
  const newest = { ...keysUnder(KEY_KINDS.commit.prefix), reverse: true, limit: 1 };
  for await (const [entry] of source.entries(newest))
    if (entry !== undefined) return { n: Number(lastSegment(entry[0])), hash: hashOf(entry[1]) };
  return { n: 0, hash: NO_COMMIT_HASH };
}

const hashOf = (sealed: Buffer): string => sha256Hex(sealed.subarray(SEAL_BYTES));

/** The commits in order, up to the first that cannot be read. */
async function* readCommits(
  source: Store,
  summary: CommitSummary | undefined,
): AsyncGenerator<ReadCommit | Finding, void> {
  let n = 0;
  try {
    for await (const page of source.entries(keysUnder(KEY_KINDS.commit.prefix)))
      for (const [key, sealed] of page) {
        n += 1;
        const range = summary?.ranges.find(({ from }) => from === n);
        if (range !== undefined) {
          const { last_hash: hash, prev_hash: prevHash } = range;
          yield { range, n, hash, prevHash, records: [], erased: [], members: {} };
          n = range.through + 1;
        }
        const where = commitKey(n);
        yield key === where
          ? readCommit(n, key, sealed)
          : { problem: 'missing', where, expected: 'a commit', observed: `next is ${key}` };
      }
  } catch (error) {
    // Blocks of the store are lost.
    if (!(error instanceof IntegrityError)) throw error;
    yield { problem: 'hash', where: error.where, expected: error.expected, observed: error.observed };
  }
}

function readCommit(n: number, where: string, sealed: Buffer): ReadCommit | Finding {
  try {
    const { prev_hash, records, erased, ...members } = JSON.parse(
      unseal(sealed, where).toString(),
    ) as JsonObject;
    if (members['n'] === n && typeof prev_hash === 'string' && areRecords(records) && areRecords(erased))
      return { n, hash: hashOf(sealed), prevHash: prev_hash, records, erased, members };
    return { problem: 'hash', where, expected: `commit ${n}`, observed: 'no commit, or another one' };
  } catch (error) {
    if (error instanceof IntegrityError)
      return { problem: 'hash', where, expected: error.expected, observed: error.observed };
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: 'hash', where, expected: 'a commit', observed: error.message };
  }
}

const areTexts = (value: JsonValue | undefined): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
const areRecords = (value: JsonValue | undefined): value is [string, string][] =>
  Array.isArray(value) && value.every((item) => areTexts(item) && item.length === 2);

/** The successor vouches for the commit before it, so that is the one named. */
function brokenLink({ n, prevHash }: ReadCommit, before: string): Finding {
  return { problem: 'chain', where: commitKey(Math.max(1, n - 1)), expected: prevHash, observed: before };
}

async function withContents(
  { members, records, erased }: ReadCommit,
  audit: RecordAudit,
): Promise<StoredCommit> {
  const contents = await audit.contents({ records, erased });
  const named = records.map(([key, sha256]): NamedRecord => ({ key, sha256, content: contents.get(key) }));
  return { members, records: named, erased };
}

/** Of a log that was migrated before. */
function formerOrigins({ members }: StoredCommit): JsonValue[] {
  const { migrated_from } = members;
  return Array.isArray(migrated_from) ? migrated_from : [];
}

/** A derived row that a commit names, being the base, in the new form; without its bytes where it is so no more. */
interface NamedRow {
  key: string;
  sha256: string;
  stored?: Buffer;
}

/** The primary records of a commit, which steps change, and the rows that it names, which are made new one by one. */
function withoutRows(
  source: Store,
  steps: readonly SchemaStep[],
  { records }: StoredCommit,
): { records: NamedRecord[]; rows: NamedRow[] } {
  const rows = records
    .filter(({ key }) => isDerivedRow(key))
    .flatMap(({ key, sha256, content }): NamedRow[] => {
      const stored = content === undefined ? undefined : source.get(key);
      if (stored === undefined) return [{ key, sha256 }];
      return rowsInNewForm(steps, key, stored).map(([row, value]) => {
        const bytes = Buffer.from(value);
        return { key: row, sha256: rowHash(row, bytes), stored: bytes };
      });
    });
  return { records: records.filter(({ key }) => !isDerivedRow(key)), rows };
}

/** A derived row of the old form as the new one has it. */
export function rowsInNewForm(
  steps: readonly SchemaStep[],
  key: string,
  stored: Buffer,
): [string, Buffer | string][] {
  return steps.reduce<[string, Buffer | string][]>(
    (rows, step) => rows.flatMap(([row, value]) => step.rows(row, Buffer.from(value))),
    [[key, stored]],
  );
}

/** Records at once of those that no commit names any more. */
const UNNAMED_RECORDS = 500;

/** What is left of commits whose records were removed: no commit names it, and a sum vouches for all of it together. */
class RemovedCommits {
  readonly #source: Store;
  readonly #expected: SetHash;
  readonly #observed = new SetHash();
  readonly #named = new Set<string>();

  constructor(source: Store, { sum }: CommitSummary) {
    this.#source = source;
    this.#expected = new SetHash(sum);
  }

  /** A commit that is there. */
  take({ records, erased }: ReadCommit): void {
    this.#expected.take({ records, erased });
    for (const [key] of records) this.#named.add(key);
  }

  /** The records that no commit names. */
  async *records(): AsyncGenerator<NamedRecord[], void> {
    let batch: NamedRecord[] = [];
    for await (const page of this.#source.entries({}))
      for (const [key, sealed] of page) {
        const sha256 = namedHash(key, sealed);
        if (sha256 === undefined) continue;
        this.#observed.add(key, sha256);
        if (this.#named.has(key)) continue;
        // Of a row that is the base only that it is there is asked.
        batch.push({ key, sha256, content: isDerivedRow(key) ? sealed : sealed.subarray(SEAL_BYTES) });
        if (batch.length < UNNAMED_RECORDS) continue;
        yield batch;
        batch = [];
      }
    yield batch;
  }

  findings(): Finding[] {
    const [expected, observed] = [this.#expected.digest, this.#observed.digest];
    return expected === observed ? [] : [{ problem: 'hash', where: SUMMARY_KEY, expected, observed }];
  }
}

/** Chains the commits of the new log and writes them in batches, each of whole commits. */
class CommitWriter {
  readonly #target: Store;
  #ops: WriteOp[] = [];
  #bytes = 0;
  #commits = 0;
  #head = EMPTY_HEAD;
  #time = '';
  readonly #ranges: CommitRange[] = [];
  /** Hash of the newest summary that a commit names. */
  #summaryHash: string | undefined;
  /** The set hash of what is stored and no commit names, once all that is stored is added. */
  readonly #unnamed = new SetHash();

  constructor(target: Store) {
    this.#target = target;
  }

  /** Commits whose records were removed: the next one follows the hash that it always followed. */
  pass(range: CommitRange): void {
    this.#ranges.push({ ...range, prev_hash: this.#head.hash });
    this.#head = { commit: range.through, hash: range.last_hash, eventId: range.event_id };
  }

  /** Records that no commit names. */
  keep(records: readonly NamedRecord[], rows: readonly NamedRow[]): void {
    for (const { key, content } of records) if (content !== undefined) this.#seal(key, content);
    this.#putRows(rows);
  }

  #putRows(rows: readonly NamedRow[]): void {
    for (const { key, stored } of rows)
      if (stored !== undefined) this.#add({ type: 'put', key, value: stored });
  }

  /** A commit behind all others puts a summary with the new hashes in the place of the old one, which is named as it was. */
  async summarise(keys: KeyRegistry): Promise<void> {
    await this.#flush();
    const sum = this.#unnamed;
    for await (const page of this.#target.entries({}))
      for (const [key, stored] of page) {
        const sha256 = namedHash(key, stored);
        if (sha256 !== undefined) sum.add(key, sha256);
      }
    const before = this.#summaryHash;
    const erased: [string, string][] = before === undefined ? [] : [[SUMMARY_KEY, before]];
    for (const [key, sha256] of erased) sum.add(key, sha256);
    const summary = signSummary(keys, { ranges: this.#ranges, sum: sum.toString() });
    const records = [{ key: SUMMARY_KEY, sha256: '', content: Buffer.from(JSON.stringify(summary)) }];
    const members = { time: this.#time, event_id: this.#head.eventId, entries: [] };
    await this.write(this.#head.commit + 1, { members, records, erased }, []);
  }

  put(ops: readonly WriteOp[]): void {
    this.#ops.push(...ops);
  }

  async write(n: number, commit: StoredCommit, rows: readonly NamedRow[]): Promise<void> {
    const named: [string, string][] = [];
    for (const { key, sha256, content } of commit.records) {
      // The summary is written behind all commits.
      const isLater = key === SUMMARY_KEY && sha256 !== '';
      if (isLater) this.#summaryHash = sha256;
      if (content === undefined || isLater) named.push([key, sha256]);
      else named.push([key, this.#seal(key, content)]);
    }
    for (const { key, sha256 } of rows) named.push([key, sha256]);
    this.#putRows(rows);
    const { members, erased } = commit;
    const record = { ...members, n, prev_hash: this.#head.hash, records: named, erased };
    const key = commitKey(n);
    const bytes = Buffer.from(JSON.stringify(record));
    // A step that makes something else than a commit of the form it is for must not get far.
    const { event_id, time } = parseCommit(bytes);
    this.#time = time;
    for (const [name, sha256] of named) this.#unnamed.remove(name, sha256);
    for (const [name, sha256] of erased) this.#unnamed.add(name, sha256);
    this.#head = { commit: n, hash: this.#seal(key, bytes), eventId: event_id };
    this.#commits += 1;
    if (this.#bytes >= BATCH_BYTES || this.#commits >= BATCH_COMMITS) await this.#flush();
  }

  /** Returns the head of what was written. */
  async end(): Promise<LogHead> {
    await this.#flush();
    return this.#head;
  }

  #seal(key: string, content: Buffer): string {
    const value = seal(content, key);
    this.#add({ type: 'put', key, value });
    return sealedHash(value);
  }

  #add(op: WriteOp & { type: 'put' }): void {
    this.#ops.push(op);
    this.#bytes += op.value.length;
  }

  async #flush(): Promise<void> {
    const ops = this.#ops;
    this.#ops = [];
    this.#bytes = 0;
    this.#commits = 0;
    if (ops.length > 0) await this.#target.write(ops);
  }
}
