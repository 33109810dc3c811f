import type { Handlers } from '#core/command.ts';
import { type EventFilters, scopeOfFilters, visibleTo } from '#core/event-filter.ts';
import { PageBudget } from '#core/list-page.ts';
import { load, notFound, seesEvent } from '#core/load.ts';
import { ok, type Query, type QueryTools } from '#core/query.ts';
import type { Event, StreamScope } from '#eventlog/event-log.ts';
import { checkCursor } from '#eventlog/log-reader.ts';
import { isEventId } from '#eventlog/segment.ts';
import type { Answer } from '#gateway.ts';
import { holdsScope } from '#policy/access.ts';

/** Events read at once: few enough that large ones do not fill the memory before the budget of a page is seen. */
const READ_AT_ONCE = 101;
/** Events one request looks at before it answers with what it found and a cursor. */
const MAX_SCANNED = 10_000;

const listTaskEvents: Query<'listTaskEvents'> = ({ path, query }, tools) => {
  const task = load(tools.reader, tools.caller, 'task', path.task_id).resource;
  return rangeOf({ kind: 'task', id: task.id }, query, tools);
};

const listSessionEvents: Query<'listSessionEvents'> = ({ path, query }, tools) => {
  const session = load(tools.reader, tools.caller, 'session', path.session_id).resource;
  return rangeOf({ kind: 'session', id: session.id }, query, tools);
};

const listEvents: Query<'listEvents'> = ({ query }, tools) => {
  const { scope, matches } = scopeOfFilters(query, tools.reader, tools.caller);
  return rangeOf(scope, query, tools, matches);
};

const getEvent: Query<'getEvent'> = ({ path }, { log, reader, caller }) => {
  const found = isEventId(path.event_id) ? log.event(path.event_id) : undefined;
  if (!found || !seesEvent(reader, caller, found.event)) throw notFound('event');
  return ok(found.event, caller);
};

interface RangeQuery extends EventFilters {
  limit: number;
  after_event_id?: string | undefined;
  cursor?: string | undefined;
  after?: string | undefined;
}

/** A range assembled from the stored bytes: reading it twice gives the same bytes. */
async function rangeOf(
  scope: StreamScope,
  query: RangeQuery,
  tools: QueryTools,
  matches?: (event: Event) => boolean,
): Promise<Answer> {
  const cursor = query.after_event_id ?? query.cursor ?? query.after;
  const after = checkCursor(tools.log, scope, cursor, 'after_event_id');
  const { found, more, last } = matches
    ? await scan(scope, after, query.limit, tools, matches)
    : await plain(scope, after, query.limit, tools);
  return rangeAnswer(found, more, last, tools);
}

interface Found {
  found: Buffer[];
  more: boolean;
  last: string | null;
}

async function plain(scope: StreamScope, after: string, limit: number, { log }: QueryTools): Promise<Found> {
  const found: Buffer[] = [];
  const budget = new PageBudget();
  for (let from = after; ; from = lastId(found) ?? from) {
    const wanted = Math.min(limit + 1 - found.length, READ_AT_ONCE);
    const events = await log.range(scope, from, wanted);
    for (const bytes of events) {
      if (found.length === limit || !budget.takes(bytes.length))
        return { found, more: true, last: lastId(found) };
      found.push(bytes);
    }
    if (events.length < wanted) return { found, more: false, last: lastId(found) };
  }
}

async function scan(
  scope: StreamScope,
  after: string,
  limit: number,
  { log }: QueryTools,
  matches: (event: Event) => boolean,
): Promise<Found> {
  const found: Buffer[] = [];
  const budget = new PageBudget();
  let from = after;
  // Most filters drop nothing, so the first page is what the answer takes at most, and one to know whether more follow.
  let page = Math.min(limit + 1, READ_AT_ONCE);
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += page, page = READ_AT_ONCE) {
    const events = await log.range(scope, from, page);
    for (const bytes of events) {
      const event = JSON.parse(bytes.toString()) as Event;
      if (matches(event)) {
        if (found.length === limit || !budget.takes(bytes.length))
          return { found, more: true, last: lastId(found) };
        found.push(bytes);
      }
      from = event.id;
    }
    if (events.length < page) return { found, more: false, last: lastId(found) };
  }
  return { found, more: true, last: from };
}

function lastId(found: readonly Buffer[]): string | null {
  const last = found.at(-1);
  return last ? (JSON.parse(last.toString()) as Event).id : null;
}

const COMMA = Buffer.from(',');

function rangeAnswer(
  found: readonly Buffer[],
  more: boolean,
  last: string | null,
  { caller }: QueryTools,
): Answer {
  const seesInternal = holdsScope(caller, 'internal:read');
  const shown = found.map((bytes) => visibleTo(bytes, seesInternal));
  const next = JSON.stringify(more ? last : null);
  const chunks: Buffer[] = [Buffer.from('{"object":"list","data":[')];
  shown.forEach((bytes, at) => {
    if (at > 0) chunks.push(COMMA);
    chunks.push(bytes);
  });
  chunks.push(
    Buffer.from(
      `],"page":{"has_more":${more},"next_cursor":${next}},"has_more":${more},"next_cursor":${next}}`,
    ),
  );
  return { status: 200, body: { kind: 'raw_json', chunks } };
}

export const handlers = {
  getEvent,
  listEvents,
  listSessionEvents,
  listTaskEvents,
} satisfies Partial<Handlers>;
