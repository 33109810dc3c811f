import type { Handlers } from '#core/command.ts';
import { isMemberOf, seesEvent } from '#core/load.ts';
import { nextTurn } from '#core/next-turn.ts';
import type { Query, QueryTools } from '#core/query.ts';
import type { Event, EventLog } from '#eventlog/event-log.ts';
import { checkCursor } from '#eventlog/log-reader.ts';
import { NO_EVENT } from '#eventlog/segment.ts';
import { holdsScope } from '#policy/access.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { eventIdOf, eventNumberOf, partitionOf, timestamp } from '#protocol/ports.ts';
import { apiKeyKeys, type CleanApiKeyState } from '#resources/api-key/state.ts';
import { eventKey, KEY_KINDS, keysUnder, lastSegment } from '#store/keys.ts';
import { lineOf } from './lines.ts';
import { AUDIT_LINES_TYPE, type AuditLine } from './schema.ts';

/** Events read at once. */
const PAGE = 200;
/** Events that one page looks at before it answers with what it found and a cursor. */
const MAX_SCANNED = 20_000;
const EVERYTHING = { kind: 'all' } as const;

const exportAudit: Query<'exportAudit'> = async ({ query }, tools) => {
  const since = query.since === undefined ? undefined : timeOf(query.since);
  const param = query.after === undefined ? 'cursor' : 'after';
  const behind = query[param];
  const named = behind === undefined ? undefined : checkCursor(tools.log, EVERYTHING, behind, param);
  const after = named ?? (since === undefined ? NO_EVENT : await placeBefore(tools.log, since));
  const reading = { after, since: named === undefined ? since : undefined, tools };
  if (tools.accept?.includes(AUDIT_LINES_TYPE)) {
    const chunks = linesOf(reading);
    const form = { mimeType: AUDIT_LINES_TYPE, size: undefined, fileName: 'audit.ndjson' };
    return { status: 200, body: { kind: 'bytes', ...form, chunks } };
  }
  return { status: 200, body: { kind: 'json', value: await pageOf(reading, query.limit) } };
};

function timeOf(text: string): string {
  const ms = /^\d{4}-\d{2}-\d{2}([T ]|$)/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return timestamp(ms);
  const message = 'since must be an RFC 3339 time such as 2026-04-25T19:00:00Z.';
  throw new ProtocolError('invalid_request', message, { param: 'since' });
}

interface Reading {
  after: string;
  /** Lines before it are left out. */
  since: string | undefined;
  tools: QueryTools;
}

/** Lines and the events that were looked at, page by page, up to what is there. */
async function* pagesOf({
  after,
  since,
  tools,
}: Reading): AsyncGenerator<{ lines: AuditLine[]; last: string }> {
  const { log } = tools;
  for (let from = after, size = PAGE; size === PAGE; ) {
    const page = await log.range(EVERYTHING, from, PAGE);
    const lines: AuditLine[] = [];
    for (const bytes of page) {
      const event: Event = JSON.parse(bytes.toString());
      from = event.id;
      const line = sees(tools, event) ? lineOf(event) : undefined;
      if (line !== undefined && (since === undefined || line.time >= since)) lines.push(line);
    }
    size = page.length;
    if (size > 0) yield { lines, last: from };
    await nextTurn();
  }
}

async function* linesOf(reading: Reading): AsyncGenerator<Buffer, void> {
  for await (const { lines } of pagesOf(reading))
    if (lines.length > 0) yield Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** The cursor is that of the newest event that was looked at, so that a page without lines gets on too. */
async function pageOf(reading: Reading, limit: number): Promise<object> {
  const data: AuditLine[] = [];
  let scanned = 0;
  let cursor = reading.after;
  let has_more = false;
  for await (const { lines, last } of pagesOf(reading)) {
    const room = limit - data.length;
    data.push(...lines.slice(0, room));
    cursor = lines.length > room ? (data.at(-1)?.id ?? cursor) : last;
    scanned += PAGE;
    has_more = lines.length > room || data.length === limit || scanned >= MAX_SCANNED;
    if (has_more) break;
  }
  const next_cursor = cursor === NO_EVENT ? null : cursor;
  return { object: 'list', data, page: { has_more, next_cursor }, has_more, next_cursor };
}

/** By workspace or tenant; what concerns the gateway as a whole is for its operator. */
function sees({ reader, caller }: QueryTools, event: Event): boolean {
  if (seesEvent(reader, caller, event)) return true;
  if (event.resource.object === 'api_key') {
    const key = reader.get<CleanApiKeyState>(apiKeyKeys.apiKey(event.resource.id));
    const workspaces = key?.resource.workspaces ?? [];
    return key?.internal.tenant === caller.tenant && workspaces.every((id) => isMemberOf(reader, caller, id));
  }
  const isOfGateway = event.workspace_id === null && event.metadata['tenant_id'] === undefined;
  return isOfGateway && holdsScope(caller, 'operator');
}

/**
 * The newest event before the first one at `since`, found by halves: events of one log do not go back in time, but for imported ones,
 * which keep theirs and are passed over. From the start where the events there are not kept any more.
 */
async function placeBefore(log: EventLog, since: string): Promise<string> {
  const partition = partitionOf(log.head.eventId);
  let low = 0;
  let high = eventNumberOf(log.head.eventId) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isBefore(log, eventIdOf(middle, partition), since)) low = middle + 1;
    else high = middle;
  }
  const { gte } = EVENTS;
  const [before] = await log.indexKeys({
    gte,
    lt: eventKey(eventIdOf(low, partition)),
    reverse: true,
    limit: 1,
  });
  const id = before === undefined ? NO_EVENT : lastSegment(before);
  return log.holds(EVERYTHING, id) ? id : NO_EVENT;
}

const EVENTS = keysUnder(KEY_KINDS.event.prefix);
/** Segments that are looked at for an event that was not imported. */
const NEAR = 64;

/** Whether the next event from this id on is before a time. */
async function isBefore(log: EventLog, id: string, since: string): Promise<boolean> {
  for (const key of await log.indexKeys({ gte: eventKey(id), lt: EVENTS.lt, limit: NEAR })) {
    const event = log.event(lastSegment(key))?.event;
    if (event !== undefined && !('imported' in event.metadata)) return event.created_at < since;
  }
  return false;
}

export const handlers = { exportAudit } satisfies Partial<Handlers>;
