import type { EventLog, StateReader } from '#eventlog/event-log.ts';
import type { Answer } from '#gateway.ts';
import { jsonSize } from '#json/large-json.ts';
import { isMember } from '#policy/access.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { taskAt, tasksBefore } from '#resources/session/fold.ts';
import { type SessionFold, sessionKeys } from '#resources/session/state.ts';
import type { Folded } from '#resources/states.ts';
import { type WorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import { keysUnder } from '#store/keys.ts';
import { page, type QueryTools } from './query.ts';

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

const PLACE_DIGITS = 8;

export interface ListRequest {
  /** What makes the list; ids sort by creation. */
  lists: readonly IdList[];
  /** Oldest first; newest first otherwise. */
  ascending?: boolean;
  limit: number;
  cursor: string | undefined;
  /** State key of a member; its `resource` is listed. `prefix` is that of its list, where it has one. */
  keyOf(id: string, prefix: string): string;
  /** For members that need more than one look-up. */
  shape?(state: object, tools: QueryTools): object | undefined | Promise<object | undefined>;
}

/** One page over one or more lists. The cursor is the last id of the page, so inserts never shift a page. */
export async function listPage(tools: QueryTools, request: ListRequest): Promise<Answer> {
  const { limit, ascending = false } = request;
  const after = request.cursor === undefined ? undefined : decodeCursor(request.cursor);
  const found = new Map<string, IdList>();
  const range = ascending ? { gt: after } : { lt: after };
  await Promise.all(
    request.lists.map(async (list) => {
      const ids = await idsIn(tools.log, list, { ...range, reverse: !ascending, limit: limit + 1 });
      for (const id of ids) found.set(id, list);
    }),
  );
  const prefixOf = (list: IdList | undefined) => (typeof list === 'string' ? list : '');
  const keyOf = (id: string) => request.keyOf(id, prefixOf(found.get(id)));
  return pageOf(tools, request, inOrder(found.keys(), ascending), resourceBy(tools, { ...request, keyOf }));
}

/** The same over ids that are already known, such as the workspaces of a caller. */
export async function listAmong(
  tools: QueryTools,
  ids: readonly string[],
  request: ResourceRequest & { ascending?: boolean } & Pick<ListRequest, 'limit' | 'cursor'>,
): Promise<Answer> {
  const after = request.cursor === undefined ? undefined : decodeCursor(request.cursor);
  const rest = ids.filter((id) => after === undefined || (request.ascending ? id > after : id < after));
  return pageOf(tools, request, inOrder(rest, request.ascending), resourceBy(tools, request));
}

/** One page of the items at the places 0 to `count`, oldest first. The cursor is a place. */
export async function listPlaces(
  tools: QueryTools,
  count: number,
  request: Pick<ListRequest, 'limit' | 'cursor'>,
  resourceAt: (place: number) => object | undefined,
): Promise<Answer> {
  const first = request.cursor === undefined ? 0 : placeOf(decodeCursor(request.cursor)) + 1;
  const shown = Math.max(0, Math.min(request.limit + 1, count - first));
  const places = Array.from({ length: shown }, (_, at) => String(first + at).padStart(PLACE_DIGITS, '0'));
  return pageOf(tools, request, places, (place) => resourceAt(Number(place)));
}

function placeOf(cursor: string): number {
  if (/^\d{8}$/.test(cursor)) return Number(cursor);
  throw foreignCursor();
}

/** One page of resources that are at hand, in the order of their ids. */
export function listGiven(
  { caller }: QueryTools,
  resources: readonly { id: string }[],
  { limit, cursor }: Pick<ListRequest, 'limit' | 'cursor'>,
): Answer {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const sorted = [...resources].sort((one, other) => (one.id < other.id ? -1 : 1));
  const rest = sorted.filter(({ id }) => after === undefined || id > after);
  const budget = new PageBudget();
  const end = rest.slice(0, limit).findIndex((resource) => !budget.takes(jsonSize(resource)));
  const shown = rest.slice(0, end === -1 ? limit : end);
  const last = shown.at(-1);
  return page(shown, rest.length > shown.length && last ? encodeCursor(last.id) : null, caller);
}

function inOrder(found: Iterable<string>, ascending = false): string[] {
  const ids = [...new Set(found)].sort();
  return ascending ? ids : ids.reverse();
}

/** `ids` are those from the first one of the page on, in the order of the list. */
async function pageOf(
  tools: QueryTools,
  { limit }: Pick<ListRequest, 'limit'>,
  ids: readonly string[],
  resourceOf: (id: string) => object | undefined | Promise<object | undefined>,
): Promise<Answer> {
  const data: object[] = [];
  const budget = new PageBudget();
  let last: string | undefined;
  // One after the other, so that what is beyond the budget is never built.
  for (const id of ids.slice(0, limit)) {
    const resource = await resourceOf(id);
    if (resource !== undefined) {
      if (!budget.takes(jsonSize(resource))) break;
      data.push(resource);
    }
    last = id;
  }
  const more = budget.isSpent || ids.length > limit;
  return page(data, more && last !== undefined ? encodeCursor(last) : null, tools.caller);
}

/** The workspaces a list without a filter covers. */
export async function visibleWorkspaces({ log, reader, caller }: QueryTools): Promise<string[]> {
  const prefix = workspaceKeys.workspaces(caller.tenant);
  const keys = await log.indexKeys({ gt: prefix, lt: `${prefix}~`, limit: 10_000 });
  return keys
    .map((key) => key.slice(prefix.length))
    .filter((id) => isMember(caller, reader.get<WorkspaceState>(workspaceKeys.workspace(id))));
}

type ResourceRequest = Pick<ListRequest, 'shape'> & { keyOf(id: string): string };

function resourceBy(tools: QueryTools, { keyOf, shape }: ResourceRequest) {
  return async (id: string): Promise<object | undefined> => {
    const state = tools.reader.get<Folded<object, unknown>>(keyOf(id));
    if (state === undefined) return undefined;
    return shape ? shape(state, tools) : state.resource;
  };
}

export function encodeCursor(id: string): string {
  return Buffer.from(`1:${id}`).toString('base64url');
}

export function decodeCursor(cursor: string): string {
  const [, id] = /^1:([A-Za-z0-9_.-]{1,128})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (id !== undefined && encodeCursor(id) === cursor) return id;
  throw foreignCursor();
}

export function foreignCursor(): ProtocolError {
  const message = 'cursor is not one this list gave. Start without it.';
  return new ProtocolError('invalid_request', message, { param: 'cursor' });
}

export function paging(query: { limit: number; cursor?: string | undefined }) {
  return { limit: query.limit, cursor: query.cursor };
}

/**
 * Bytes of JSON at which a page ends early, with `has_more`. One item is bounded by the body limit and the inline limits,
 * but 200 of them hold everybody else up for longer than one answer may, and can be more than one string holds.
 */
export const PAGE_BYTES = 2 * 1024 * 1024;

/** Counts the items of one page; the first is always taken, so that every page gets on. */
export class PageBudget {
  #taken = 0;
  #spent = false;

  /** Whether an item of this many bytes still goes into the page. Once one does not, none does. */
  takes(bytes: number): boolean {
    if (this.#taken > 0 && this.#taken + bytes > PAGE_BYTES) this.#spent = true;
    if (!this.#spent) this.#taken += bytes;
    return !this.#spent;
  }

  get isSpent(): boolean {
    return this.#spent;
  }
}
