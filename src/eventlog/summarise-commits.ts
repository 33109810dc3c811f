import { KEY_KINDS } from '../store/keys.ts';
import type { Store } from '../store/store.ts';
import type { CommitRecord } from './commit-record.ts';
import { type CommitRange, readSummary, SetHash } from './commit-summary.ts';
import { EMPTY_HEAD, walkCommits } from './commit-walk.ts';
import type { LogHead } from './event-log.ts';

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
  const ranges = readSummary(store)?.ranges ?? [];
  let run: Run | undefined;
  const isWorth = ({ commits, since }: Run) =>
    commits.length >= MIN_COMMITS || ranges.some(({ through }) => through === since.commit);
  for await (const { commit, before: since, head } of walkCommits(store, EMPTY_HEAD)) {
    if (commit !== undefined && (commit.n >= before || commit.event_id > throughId)) break;
    const isGone = commit !== undefined && commit.n > 1 && (await isSpent(store, commit));
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
