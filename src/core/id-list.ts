import type { EventLog, StateReader } from '#eventlog/event-log.ts';
import { taskAt, tasksBefore } from '#resources/session/fold.ts';
import { type SessionFold, sessionKeys } from '#resources/session/state.ts';
import { keysUnder } from '#store/keys.ts';

/** Ids between two others, both exclusive, at most `limit` of them; from the last one back with `reverse`. */
interface IdRange {
  gt?: string | undefined;
  lt?: string | undefined;
  reverse?: boolean;
  limit: number;
}

/** A list of ids in their order: a key prefix that they follow, or what reads a range of them. */
export type IdList = string | ((range: IdRange) => Promise<string[]>);

type Log = Pick<EventLog, 'indexKeys' | 'state'>;

export async function idsIn(
  log: Pick<EventLog, 'indexKeys'>,
  list: IdList,
  range: IdRange,
): Promise<string[]> {
  if (typeof list === 'function') return list(range);
  const { gt = '', lt = '~', ...rest } = range;
  const keys = await log.indexKeys({ gt: list + gt, lt: list + lt, ...rest });
  return keys.map((key) => key.slice(list.length));
}

/** The Tasks of a Session. */
export function tasksOfSession(log: Log, sessionId: string): IdList {
  const reader: StateReader = { get: (key) => log.state(key) };
  return async (range) => {
    const session = reader.get<SessionFold>(sessionKeys.session(sessionId));
    if (session === undefined) return [];
    const odd = await idsIn(log, sessionKeys.oddTasksOfSession(sessionId), range);
    const listed = listedTasks(reader, session, range);
    const ids = odd.length === 0 ? listed : [...odd, ...listed].sort();
    if (odd.length > 0 && range.reverse) ids.reverse();
    return ids.slice(0, range.limit);
  };
}

/** Those that follow each other in blocks. */
function listedTasks(
  reader: StateReader,
  session: SessionFold,
  { gt, lt, reverse, limit }: IdRange,
): string[] {
  // The first id behind `gt` is that of `gt` and one more character, or a later one.
  const start = gt === undefined ? 0 : tasksBefore(reader, session, `${gt}!`);
  const end = lt === undefined ? (session.internal.tasks ?? 0) : tasksBefore(reader, session, lt);
  const count = Math.max(0, Math.min(limit, end - start));
  const first = reverse ? end - 1 : start;
  const places = Array.from({ length: count }, (_, at) => (reverse ? first - at : first + at));
  return places.flatMap((place) => taskAt(reader, session.resource.id, place) ?? []);
}

/** Keys listed at once. */
const PAGE = 200;

/** All durable keys with the prefix, which ends in `/`, in order. What is removed meanwhile is passed over. */
export async function* keysOf(
  log: Pick<EventLog, 'indexKeys'>,
  prefix: string,
): AsyncGenerator<string, void> {
  const { gte, lt } = keysUnder(prefix);
  let page = await log.indexKeys({ gte, lt, limit: PAGE });
  while (page.length > 0) {
    yield* page;
    page = await log.indexKeys({ gt: page.at(-1) ?? lt, lt, limit: PAGE });
  }
}

/** Pages of the distinct members of several lists, in the order of their ids; one page of each list is in memory. */
export async function* keysOfAll(
  log: Pick<EventLog, 'indexKeys'>,
  prefixes: readonly string[],
  limit: number,
): AsyncGenerator<string[], void> {
  let after = '';
  for (let size = limit; size === limit; ) {
    const heads = await Promise.all(
      prefixes.map(async (prefix) => {
        const keys = await log.indexKeys({ gt: prefix + after, lt: `${prefix}~`, limit });
        return keys.map((key) => key.slice(prefix.length));
      }),
    );
    const page = [...new Set(heads.flat())].sort().slice(0, limit);
    if (page.length > 0) yield page;
    size = page.length;
    after = page.at(-1) ?? after;
  }
}
