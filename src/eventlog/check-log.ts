import { isDeepStrictEqual } from 'node:util';
import { sha256Hex } from '#json/canonical.ts';
import { eventIdBehind, eventNumberOf } from '#protocol/ports.ts';
import type { Verifier } from '#receipts/key-registry.ts';
import {
  commitKey,
  FOLDED_SESSIONS,
  isEventKey,
  KEY_KINDS,
  keysUnder,
  lastSegment,
  SUMMARY_KEY,
} from '#store/keys.ts';
import { contentOfChecked, SEAL_BYTES, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { loadBase } from './base-folds.ts';
import { isBaseRow, isDerivedRow, NAMED_KINDS, namedHash } from './base-row.ts';
import { type CommitRecord, parseCommit } from './commit-record.ts';
import { type CommitSummary, readSummary, SetHash, verifySummary } from './commit-summary.ts';
import { EMPTY_HEAD, walkCommits } from './commit-walk.ts';
import type { Event, LogHead, Projection } from './event-log.ts';
import type { Finding } from './finding.ts';
import { foldCodec } from './fold-record.ts';
import { Rebuild } from './rebuild.ts';
import { type AuditedSegment, RecordAudit } from './record-audit.ts';
import { MemoryScratch, type Scratch } from './scratch.ts';
import { eventsIn, type SaidSlots } from './segment.ts';

interface CheckLogOptions {
  store: Store;
  projection: Projection;
  /** Where states refer to texts of events instead of holding them, as the log wrote them. Default: nowhere. */
  said?: SaidSlots;
  /** Keys that signed the summary of removed commits; without them its signature is not looked at. */
  keys?: Verifier;
  /** Head of the verified checkpoint; a log behind it, or another commit at its number, is a finding. */
  checkpoint?: LogHead;
  /** Where the folds are rebuilt. Default: memory. A large log wants a StoreScratch on an empty directory. */
  scratch?: Scratch;
}

export type CheckStep =
  | { kind: 'finding'; finding: Finding }
  /** Called every 1,000 commits and at the end. */
  | { kind: 'progress'; commits: number; events: number }
  /** An operator took a log that holds less than it did, or was restored. `reason`: what was said of it, if anything. */
  | { kind: 'accepted'; eventId: string; time: string; reason: string | null; isRestore: boolean }
  /** The folds could not be compared, because an event they depend on cannot be read. */
  | { kind: 'folds_not_compared' };

const PROGRESS_COMMITS = 1_000;

/**
 * Verifies the whole log: the chain of commits, every record a commit names, the numbering of events, sequences and links
 * per resource, and the folds, rebuilt from the events (and the base of those that retention removed) and compared with the stored ones. Changes nothing. Run it on
 * a log that takes no writes meanwhile.
 */
export async function* checkLog(options: CheckLogOptions): AsyncGenerator<CheckStep, void> {
  try {
    yield* checkReadable(options);
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    // The store could not read this block. What lies behind it is not checked.
    const { where, expected, observed } = error;
    yield { kind: 'finding', finding: { problem: 'hash', where, expected, observed } };
    yield { kind: 'folds_not_compared' };
  }
}

async function* checkReadable(options: CheckLogOptions): AsyncGenerator<CheckStep, void> {
  const { checkpoint, store, scratch = new MemoryScratch() } = options;
  const pass = new LogPass(options, scratch, await keptOf(store));
  const damagedRows = await loadBase(store, scratch);
  let head = EMPTY_HEAD;
  const summary = readSummary(store);
  const sum = summary && new SetHash(summary.sum);
  if (summary !== undefined) yield* found(checkSummary(summary, options.keys));
  for await (const walked of walkCommits(store, EMPTY_HEAD)) {
    yield* found(walked.findings);
    if (walked.commit !== undefined) sum?.take(walked.commit);
    if (walked.commit === undefined) pass.skip();
    else yield* found(await pass.take(walked.commit, walked.before));
    yield* pass.accepted.splice(0);
    head = walked.head;
    yield* found(checkAgainst(checkpoint, head));
    if (head.commit % PROGRESS_COMMITS === 0)
      yield { kind: 'progress', commits: head.commit, events: pass.events };
  }
  if (checkpoint !== undefined && head.commit < checkpoint.commit) yield* found([behind(checkpoint, head)]);
  const unlikeSum = sum !== undefined && pass.isComplete ? await checkSum(store, scratch, sum) : undefined;
  const missing = pass.missing(unlikeSum?.length === 0);
  yield* found(missing);
  // A commit that names one of them has reported it.
  yield* found(damagedRows.filter(({ where }) => !missing.some((finding) => finding.where === where)));
  yield* found(unlikeSum ?? []);
  yield* found(await straySegments(store, scratch));
  if (!pass.isComplete) yield { kind: 'folds_not_compared' };
  else for await (const finding of compareKeys(store, scratch)) yield { kind: 'finding', finding };
  yield { kind: 'progress', commits: head.commit, events: pass.events };
}

/**
 * Folds all events of a log again, as the check does, into a scratch that takes rows only. Yields what is wrong with the events;
 * one that cannot be read ends the folding.
 */
export async function* rebuildFolds({
  rows,
  ...options
}: Pick<CheckLogOptions, 'store' | 'projection' | 'said'> & { rows: Scratch }): AsyncGenerator<
  Finding,
  void
> {
  const { store } = options;
  const pass = new LogPass(options, rows, await keptOf(store), NOWHERE);
  yield* await loadBase(store, rows);
  for await (const { commit, before } of walkCommits(store, EMPTY_HEAD))
    if (commit !== undefined) yield* await pass.take(commit, before);
}

type Accounts = Pick<Scratch, 'put' | 'delete'>;

const NOWHERE: Accounts = { put: () => undefined, delete: () => undefined };

/** One pass over the commits: audits their records and folds their events. */
class LogPass {
  readonly #audit: RecordAudit;
  readonly #rebuild: Rebuild;
  /** Takes what the commits account for. */
  readonly #accounts: Accounts;
  readonly #removed: RemovedSegments;
  readonly #store: Store;
  readonly #hasSummary: boolean;
  /** By session, the newest event that the base holds although it stays. */
  readonly #folded: ReadonlyMap<string, string>;
  /** Whether a segment was taken for removed that only the set hash can vouch for. */
  #restsOnSum = false;
  events = 0;
  /** Found since it was last emptied. */
  readonly accepted: Extract<CheckStep, { kind: 'accepted' }>[] = [];
  /** False once an event could not be folded. */
  isComplete = true;

  constructor(
    { store, projection, said }: Pick<CheckLogOptions, 'store' | 'projection' | 'said'>,
    scratch: Scratch,
    { removed, folded }: Kept,
    accounts: Accounts = scratch,
  ) {
    this.#folded = folded;
    this.#audit = new RecordAudit(store);
    this.#store = store;
    this.#hasSummary = readSummary(store) !== undefined;
    this.#rebuild = new Rebuild(scratch, projection, foldCodec(store, said));
    this.#accounts = accounts;
    this.#removed = removed;
  }

  skip(): void {
    this.isComplete = false;
  }

  /** Records that are not as commits say. `isSumRight`: together they are what the removed commits have left of them. */
  missing(isSumRight: boolean): Finding[] {
    if (isSumRight) return this.#audit.unreadable();
    if (this.#restsOnSum) this.skip();
    return this.#audit.findings();
  }

  async take(commit: CommitRecord, before: LogHead): Promise<Finding[]> {
    for (const [key] of commit.erased) this.#accounts.delete(accountOf(key));
    for (const [key] of commit.records) this.#accounts.put(accountOf(key), ACCOUNTED);
    const segments = await this.#audit.take(commit, before);
    const findings = segments.flatMap((segment) => this.#takeSegment(segment));
    await this.#rebuild.settle();
    return findings;
  }

  #takeSegment({ key, firstId, lastId, content }: AuditedSegment): Finding[] {
    const count = eventNumberOf(lastId) - eventNumberOf(firstId) + 1;
    this.events += count;
    // The base holds what its events folded to.
    if (this.#removed.isErased(key)) return [];
    const left = this.#removed.leftOf(key);
    const stored = left ?? content;
    if (stored === undefined && this.#mayBeRemoved(key)) {
      this.#restsOnSum = true;
      return [];
    }
    if (stored === undefined) this.skip();
    if (stored === undefined || !this.isComplete) return [];
    const lines = eventsIn(stored);
    if (left === undefined && lines.length !== count)
      return [
        { problem: 'order', where: key, expected: `${count} events`, observed: `${lines.length} events` },
      ];
    return this.#fold(
      key,
      lines.map((line): Event => JSON.parse(line.toString('utf8'))),
    );
  }

  /** The commit that erased a segment may be one of those whose records were removed, while another keeps its own commit. */
  #mayBeRemoved(key: string): boolean {
    return this.#hasSummary && this.#store.get(key) === undefined;
  }

  #fold(key: string, events: readonly Event[]): Finding[] {
    const last = lastSegment(key);
    const findings = events.flatMap((event, at): Finding[] => {
      const [expected, observed] = [eventIdBehind(last, at + 1 - events.length), event.id];
      const misplaced: Finding[] =
        observed === expected ? [] : [{ problem: 'order', where: key, expected, observed }];
      if (event.event === 'vendor.harn_gateway.truncation_accepted') this.accepted.push(acceptedBy(event));
      // The base holds what it folded to.
      if (event.id <= (this.#folded.get(event.session_id ?? '') ?? '')) return misplaced;
      return [...misplaced, ...this.#rebuild.fold(event)];
    });
    this.#rebuild.enter(key, events);
    return findings;
  }
}

function acceptedBy({ id, created_at, payload }: Event): Extract<CheckStep, { kind: 'accepted' }> {
  const { reason, backup, expected } = payload;
  return {
    kind: 'accepted',
    eventId: id,
    time: created_at,
    reason: typeof reason === 'string' ? reason : null,
    isRestore: backup !== undefined || typeof expected === 'string',
  };
}

/** What says which events are not folded again. */
interface Kept {
  removed: RemovedSegments;
  folded: ReadonlyMap<string, string>;
}

async function keptOf(store: Store): Promise<Kept> {
  const folded = new Map<string, string>();
  for await (const page of store.entries(keysUnder(FOLDED_SESSIONS)))
    for (const [key, sealed] of page) folded.set(lastSegment(key), sealed.subarray(SEAL_BYTES).toString());
  return { removed: await RemovedSegments.read(store), folded };
}

function* found(findings: readonly Finding[]): Generator<CheckStep, void> {
  for (const finding of findings) yield { kind: 'finding', finding };
}

function checkAgainst(checkpoint: LogHead | undefined, head: LogHead): Finding[] {
  if (checkpoint?.commit !== head.commit || checkpoint.hash === head.hash) return [];
  const where = commitKey(head.commit);
  return [{ problem: 'chain', where, expected: checkpoint.hash, observed: head.hash }];
}

function behind(checkpoint: LogHead, head: LogHead): Finding {
  const spell = ({ commit, eventId }: LogHead) => `commit ${commit}, event ${eventId}`;
  return { problem: 'missing', where: 'checkpoint', expected: spell(checkpoint), observed: spell(head) };
}

function checkSummary(summary: CommitSummary, keys: Verifier | undefined): Finding[] {
  const observed = keys === undefined ? 'ok' : verifySummary(keys, summary);
  if (observed === 'ok') return [];
  return [{ problem: 'hash', where: SUMMARY_KEY, expected: 'a valid signature', observed }];
}

/**
 * All primary records and rows that are the base together are what the commits, removed ones included, have left; those of
 * removed commits are accounted for.
 */
async function checkSum(store: Store, scratch: Scratch, expected: SetHash): Promise<Finding[]> {
  const observed = new SetHash();
  for (const { prefix } of NAMED_KINDS)
    for await (const page of store.entries(keysUnder(prefix))) {
      for (const [key, stored] of page) {
        const sha256 = namedHash(key, stored);
        if (sha256 === undefined) continue;
        observed.add(key, sha256);
        const account = accountOf(key);
        if (scratch.get(account) === undefined && !isEventKey(key)) scratch.put(account, ACCOUNTED);
      }
      await scratch.flush();
    }
  if (observed.digest === expected.digest) return [];
  return [{ problem: 'hash', where: SUMMARY_KEY, expected: expected.digest, observed: observed.digest }];
}

/** Segments that no commit accounts for. */
async function straySegments(store: Store, scratch: Scratch): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const page of store.keys(keysUnder(KEY_KINDS.event.prefix)))
    for (const where of page) {
      if (scratch.get(where) !== undefined) continue;
      findings.push({
        problem: 'extra',
        where,
        expected: 'no record',
        observed: 'events no commit accounts for',
      });
    }
  return findings;
}

/** Put into the scratch for a primary record: that a commit accounts for it. Its bytes are checked by RecordAudit. */
const ACCOUNTED = Buffer.from([1]);

/** The key in the scratch under which a record is accounted for; that of a derived row is taken by the row itself. */
const accountOf = (key: string): string => (isDerivedRow(key) ? `=${key}` : key);

/** Commits, events and the schema record are checked by other means. */
const CHECKED_ELSEWHERE = [KEY_KINDS.commit.prefix, KEY_KINDS.event.prefix, KEY_KINDS.meta.prefix];

type Entry = [string, Buffer];

/**
 * Goes through the store and the rebuilt scratch side by side, in key order, with one page of each in memory: every key
 * that only one of them has, and every fold that differs, is a finding.
 */
async function* compareKeys(store: Store, scratch: Scratch): AsyncGenerator<Finding, void> {
  const stored = flat(
    store.entries({}),
    (key) => !CHECKED_ELSEWHERE.some((prefix) => key.startsWith(prefix)),
  );
  const rebuilt = flat(scratch.entries(), () => true);
  let [left, right] = [await pull(stored), await pull(rebuilt)];
  while (left !== undefined || right !== undefined) {
    if (right === undefined || (left !== undefined && left[0] < right[0])) {
      if (left !== undefined) yield extra(left[0]);
      left = await pull(stored);
    } else if (left === undefined || right[0] < left[0]) {
      // A missing primary record is the audit's finding.
      if (!right[1].equals(ACCOUNTED)) yield fold(right[0], right[1], undefined);
      right = await pull(rebuilt);
    } else {
      if (!right[1].equals(ACCOUNTED) && !sameState(left[0], left[1], right[1]))
        yield fold(left[0], right[1], left[1]);
      // The rebuild began with it.
      else if (isBaseRow(left[0], left[1]) && scratch.get(accountOf(left[0])) === undefined)
        yield extra(left[0]);
      [left, right] = [await pull(stored), await pull(rebuilt)];
    }
  }
}

async function* flat(
  pages: AsyncIterable<Entry[]>,
  take: (key: string) => boolean,
): AsyncGenerator<Entry, void> {
  for await (const page of pages) for (const entry of page) if (take(entry[0])) yield entry;
}

async function pull(entries: AsyncGenerator<Entry, void>): Promise<Entry | undefined> {
  const next = await entries.next();
  return next.done ? undefined : next.value;
}

/**
 * Equal bytes, or equal JSON under a right checksum: the order of members may depend on which states were in memory when a
 * state was made.
 */
function sameState(key: string, stored: Buffer, rebuilt: Buffer): boolean {
  if (stored.equals(rebuilt)) return true;
  if (stored.length === 0 || rebuilt.length === 0) return false;
  return isDeepStrictEqual(parse(key, stored), parse(key, rebuilt));
}

function parse(key: string, sealed: Buffer): unknown {
  try {
    return JSON.parse(contentOfChecked(sealed, key).toString('utf8'));
  } catch {
    // Damaged, or no JSON: equal to nothing.
    return Symbol('unreadable');
  }
}

function spell(value: Buffer | undefined): string {
  if (value === undefined) return 'no record';
  return value.length === 0 ? 'a marker' : sha256Hex(value);
}

function fold(where: string, expected: Buffer, observed: Buffer | undefined): Finding {
  return { problem: 'fold', where, expected: spell(expected), observed: spell(observed) };
}

function extra(where: string): Finding {
  return { problem: 'extra', where, expected: 'no record', observed: 'a record no commit accounts for' };
}

/**
 * The segments that commits erased, or cut: written again with the events that were left. Read before the log is checked,
 * because an event that is to be folded must not be taken for one that the base holds already.
 */
class RemovedSegments {
  readonly #erased = new Set<string>();
  readonly #cut = new Set<string>();
  readonly #store: Store;

  private constructor(store: Store) {
    this.#store = store;
  }

  static async read(store: Store): Promise<RemovedSegments> {
    const removed = new RemovedSegments(store);
    const written = { through: '' };
    for await (const page of store.entries(keysUnder(KEY_KINDS.commit.prefix)))
      for (const [, sealed] of page) removed.#take(sealed.subarray(SEAL_BYTES), written);
    return removed;
  }

  isErased(key: string): boolean {
    return this.#erased.has(key);
  }

  /** What is left of a segment that was cut, whose commit vouches for another content; undefined for others. */
  leftOf(key: string): Buffer | undefined {
    if (!this.#cut.has(key)) return undefined;
    const sealed = this.#store.get(key);
    try {
      return sealed && unseal(sealed, key);
    } catch (error) {
      // The commit that cut it says so.
      if (error instanceof IntegrityError) return undefined;
      throw error;
    }
  }

  #take(content: Buffer, newest: { through: string }): void {
    const commit = readable(content);
    if (commit === undefined) return;
    for (const [key] of commit.records) {
      if (!isEventKey(key)) continue;
      if (key <= newest.through) this.#cut.add(key);
      else newest.through = key;
    }
    const written = new Set(commit.records.map(([key]) => key));
    for (const [key] of commit.erased) if (isEventKey(key) && !written.has(key)) this.#erased.add(key);
  }
}

function readable(content: Buffer): CommitRecord | undefined {
  try {
    return parseCommit(content);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
