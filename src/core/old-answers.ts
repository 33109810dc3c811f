import { parseCommit } from '#eventlog/commit-record.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/canonical.ts';
import { ANSWERS_SWEPT_KEY, commitKey, KEY_KINDS, keysUnder, lastSegment } from '#store/keys.ts';
import { expiryOfAnswer } from './idempotency.ts';
import { unlessDamaged } from './unless-damaged.ts';

/** Commits looked at in one go, and their answers forgotten in one transaction: small, so that no request waits behind it. */
const BATCH = 200;
/** Batches of one sweep. What is left waits for the next one. */
const MAX_BATCHES = 50;
/** Batches of the sweep that a start waits for. */
export const BATCHES_AT_START = 1;
/** Commits without an answer that are looked at again after a start; more of them are noted. */
const MANY_COMMITS = 200;
/** How old the noted time may be. By it a start knows what the clock of the windows had reached. */
const NOTED_EVERY_MS = 3_600_000;

/** How far the answers of the log were looked at. */
interface Swept {
  /** Newest commit of which no answer is left. */
  commit: number;
  /** Epoch milliseconds of the clock that windows are counted by. */
  window_ms: number;
  /** Newest commit when this was noted. */
  head: number;
}

/** What the clock of the windows had reached when it was noted last; undefined where it never was, or cannot be read. */
export function notedWindowTime(log: Pick<EventLog, 'record'>): number | undefined {
  return unlessDamaged(() => readSwept(log)?.window_ms, undefined);
}

/**
 * Forgets answers whose Idempotency-Key window is over. Returns how many. All windows are equally long, so answers expire in
 * the order of their commits: a sweep goes on behind the last one and ends at the first answer that is still remembered, and
 * needs no index. Every commit is looked at once.
 */
export async function forgetOldAnswers(log: EventLog, nowMs: number, batches = MAX_BATCHES): Promise<number> {
  // Where the place cannot be read it cannot be written over either: every sweep begins anew then, and notes nothing.
  const noted = unlessDamaged(() => ({ swept: readSwept(log) }), undefined);
  const swept = noted?.swept;
  let forgotten = 0;
  let after = swept?.commit ?? 0;
  for (let batch = 0; batch < batches; batch += 1) {
    const { through, due, isEnd } = await look(log, after, nowMs);
    // The rest is the next start's.
    if (log.status !== 'open') return forgotten;
    if (due.length > 0) await forget(log, due, noted && placeAt(log, through, nowMs));
    forgotten += due.length;
    after = through;
    if (isEnd) break;
  }
  if (noted !== undefined && forgotten === 0 && isWorthNoting(log, swept, after, nowMs))
    await forget(log, [], placeAt(log, after, nowMs));
  return forgotten;
}

function isWorthNoting(log: EventLog, swept: Swept | undefined, through: number, nowMs: number): boolean {
  if (swept === undefined || through - swept.commit >= MANY_COMMITS) return true;
  // The commit that notes it says nothing new.
  return nowMs - swept.window_ms >= NOTED_EVERY_MS && log.head.commit > swept.head + 1;
}

function placeAt(log: EventLog, through: number, nowMs: number): Swept {
  return { commit: through, window_ms: nowMs, head: log.head.commit };
}

async function forget(log: EventLog, due: readonly string[], place: Swept | undefined): Promise<void> {
  await log.transact({ actor: null }, (tx) => {
    for (const key of due) tx.erase(key);
    if (place !== undefined) tx.record(ANSWERS_SWEPT_KEY, JSON.stringify(place));
  });
}

/** The keys of answers that are due in the next commits, and the commit through which nothing else is left. */
async function look(log: EventLog, after: number, nowMs: number) {
  const commits = await commitsAfter(log, after);
  const due: string[] = [];
  let through = after;
  for (const commit of commits) {
    for (const [key, hash] of answersOf(log, commit)) {
      const state = stateOf(log, key, hash, nowMs);
      if (state === 'remembered') return { through, due, isEnd: true };
      if (state === 'due') due.push(key);
    }
    through = Number(lastSegment(commit));
  }
  return { through, due, isEnd: commits.length < BATCH };
}

/** None where a block of the store that may hold some is damaged: that must keep neither a start nor the other work from going on. */
async function commitsAfter(log: EventLog, after: number): Promise<string[]> {
  const range = { gt: commitKey(after), lt: keysUnder(KEY_KINDS.commit.prefix).lt, limit: BATCH };
  try {
    return await log.indexKeys(range);
  } catch (error) {
    return unlessDamaged(() => {
      throw error;
    }, []);
  }
}

/** A damaged commit is reported elsewhere; what it answered stays. */
function answersOf(log: EventLog, commit: string): [key: string, hash: string][] {
  const bytes = unlessDamaged(() => log.record(commit), undefined);
  if (bytes === undefined) return [];
  return parseCommit(bytes).records.filter(([key]) => key.startsWith(KEY_KINDS.idempotency.prefix));
}

/** `replaced`: a later commit has another answer under this key, or none. */
function stateOf(log: EventLog, key: string, hash: string, nowMs: number) {
  const bytes = unlessDamaged(() => log.record(key), undefined);
  if (bytes === undefined || sha256Hex(bytes) !== hash) return 'replaced';
  return nowMs > expiryOfAnswer(bytes) ? 'due' : 'remembered';
}

function readSwept(log: Pick<EventLog, 'record'>): Swept | undefined {
  const bytes = log.record(ANSWERS_SWEPT_KEY);
  return bytes && (JSON.parse(bytes.toString('utf8')) as Swept);
}
