import { commitKey, KEY_KINDS } from '#store/keys.ts';
import type { Store } from '#store/store.ts';
import { isDerivedRow } from './base-row.ts';
import { type CommitRecord, eventCount } from './commit-record.ts';
import { type CommitRange, readSummary, SetHash } from './commit-summary.ts';
import { EMPTY_HEAD, readCommit, walkCommits } from './commit-walk.ts';
import type { CommitSpan, LogHead } from './event-log.ts';

/** Fewer commits between two that stay are let be: a range of its own saves nothing. */
const MIN_COMMITS = 8;
/** Commits that go in one transaction: a few milliseconds. */
const MAX_COMMITS = 500;

/** Commits whose records can go, and the set hash of what they named. */
export interface RemovableCommits {
  range: CommitRange;
  sum: SetHash;
}

interface Run {
  commits: CommitRecord[];
  since: LogHead;
  head: LogHead;
}

/**
 * The commits of whose events none is left, in runs, from the beginning of the log up to `before` and no further than events
 * were removed. The log is read once, in pages.
 */
export async function* removableCommits(
  store: Store,
  { before, throughId }: { before: number; throughId: string },
): AsyncGenerator<RemovableCommits, void> {
  yield* runsOf(store, {
    since: EMPTY_HEAD,
    isBehind: ({ n, event_id }) => n >= before || event_id > throughId,
    mayGo: ({ n }) => n > 1,
  });
}

/**
 * The commits among `from` to `through` and before `before` that did nothing but remove, in runs: they name events that are
 * gone, and lie among those that are not.
 */
export async function* removalCommits(
  store: Store,
  { from, through, before }: CommitSpan & { before: number },
): AsyncGenerator<RemovableCommits, void> {
  const since = headBefore(store, from);
  if (since === undefined) return;
  yield* runsOf(store, { since, isBehind: ({ n }) => n >= before || n > through, mayGo: didOnlyRemove });
}

/** Undefined where the commit or the one before it is not there any more, or cannot be read. */
function headBefore(store: Store, n: number): LogHead | undefined {
  const [before, own] = [n - 1, n].map((each) => {
    const sealed = store.get(commitKey(each));
    return sealed && readCommit(commitKey(each), sealed).commit;
  });
  return before && own && { commit: before.n, hash: own.prev_hash, eventId: before.event_id };
}

/** What a removal writes: ends of segments that it cuts, marks, the base, tombstones, and the summary. */
const REMOVAL_KINDS = [
  KEY_KINDS.event,
  KEY_KINDS.cut,
  KEY_KINDS.base,
  KEY_KINDS.tombstone,
  KEY_KINDS.summary,
];

function didOnlyRemove(commit: CommitRecord): boolean {
  return (
    eventCount(commit) === 0 &&
    commit.records.every(
      ([key]) => isDerivedRow(key) || REMOVAL_KINDS.some(({ prefix }) => key.startsWith(prefix)),
    )
  );
}

interface Walk {
  since: LogHead;
  /** Whether a commit and all after it stay. */
  isBehind(commit: CommitRecord): boolean;
  mayGo(commit: CommitRecord): boolean;
}

async function* runsOf(store: Store, walk: Walk): AsyncGenerator<RemovableCommits, void> {
  const ranges = readSummary(store)?.ranges ?? [];
  let run: Run | undefined;
  const isWorth = ({ commits, since }: Run) =>
    commits.length >= MIN_COMMITS || ranges.some(({ through }) => through === since.commit);
  for await (const { commit, before: since, head } of walkCommits(store, walk.since)) {
    if (commit !== undefined && walk.isBehind(commit)) break;
    const isGone = commit !== undefined && walk.mayGo(commit) && (await isSpent(store, commit));
    // A range that was removed before may lie between this commit and the one before.
    const goesOn = isGone && run?.head.commit === since.commit && run.commits.length < MAX_COMMITS;
    if (run !== undefined && !goesOn) {
      if (isWorth(run)) {
        const found = removable(run);
        ranges.push(found.range);
        yield found;
      }
      run = undefined;
    }
    if (!isGone || commit === undefined) continue;
    run ??= { commits: [], since, head };
    run.commits.push(commit);
    run.head = head;
  }
  if (run !== undefined && isWorth(run)) yield removable(run);
}

function removable({ commits, since, head }: Run): RemovableCommits {
  const sum = new SetHash();
  for (const commit of commits) sum.take(commit);
  const range = {
    from: since.commit + 1,
    through: head.commit,
    prev_hash: since.hash,
    last_hash: head.hash,
    event_id: head.eventId,
  };
  return { range, sum };
}

/** What has a commit looked up again: its events, what is left of a segment that it cut, answers and inputs with a window. */
const NEEDING = [KEY_KINDS.event, KEY_KINDS.idempotency, KEY_KINDS.input].map(({ prefix }) => prefix);

async function isSpent(store: Store, { records }: CommitRecord): Promise<boolean> {
  const keys = records.map(([key]) => key).filter((key) => NEEDING.some((prefix) => key.startsWith(prefix)));
  return (await store.getMany(keys)).every((stored) => stored === undefined);
}
