import type { z } from 'zod';
import type { Event, EventLog } from '#eventlog/event-log.ts';
import { carriedAs } from '#resources/bundle/document/carried-events.ts';
import { erasedPayload } from '#resources/erasure/schema.ts';
import { type EmittedKind, EVENT_PAYLOADS } from '#resources/event-payloads.ts';
import { asyncApiCheck } from '../harness/asyncapi-check.ts';

const PAGE = 1_000;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Every event of a log, in order. */
export async function allEvents(log: EventLog): Promise<Event[]> {
  const events: Event[] = [];
  for (;;) {
    const after = events.at(-1)?.id ?? '0'.repeat(20);
    const page = await log.range({ kind: 'all' }, after, PAGE);
    events.push(...page.map((bytes) => JSON.parse(bytes.toString()) as Event));
    if (page.length < PAGE) return events;
  }
}

/** What is wrong with a run of events that starts at the first one: ids, links, times, kinds, payloads. */
export function eventFindings(events: readonly Event[]): string[] {
  const last = new Map<string, Event>();
  return events.flatMap((event, at) => {
    const key = `${event.resource.object}/${event.resource.id}`;
    const before = last.get(key);
    last.set(key, event);
    const faults = [
      ...(/^\d{20}$/.test(event.id) && event.id > (events[at - 1]?.id ?? '')
        ? []
        : ['id is not the next one']),
      ...(event.sequence === (before?.sequence ?? 0) + 1 ? [] : [`sequence ${event.sequence} leaves a gap`]),
      ...(event.previous_event_id === (before?.id ?? null) ? [] : ['previous_event_id links elsewhere']),
      ...(TIME.test(event.created_at) && event.created_at >= (before?.created_at ?? '')
        ? []
        : ['time runs back']),
      ...(event.updated_at === event.created_at ? [] : ['updated_at differs']),
      ...payloadFaults(event),
      ...(isLeftBehind(event) ? ['happens in a session, and no import takes it'] : []),
    ];
    return faults.map((fault) => `${event.id} ${event.event}: ${fault}`);
  });
}

/** Its export has every event of a Session; an imported one is exported as it was recorded, and not as it came here. */
function isLeftBehind({ event, session_id }: Event): boolean {
  if (session_id === null || event === 'vendor.harn_gateway.session_imported') return false;
  return carriedAs(event as EmittedKind) === 'elsewhere';
}

/** An Event is what the AsyncAPI document says of its kind, and its payload parses as its row of the table does. */
function payloadFaults(event: Event): string[] {
  const schemas: Partial<Record<string, z.ZodType>> = EVENT_PAYLOADS;
  const schema = schemas[event.event];
  if (schema === undefined) return ['kind is not in the table of payloads'];
  if (erasedPayload.safeParse(event.payload).success) return asyncApiCheck().ofEvent(event);
  const issues = schema.safeParse(event.payload).error?.issues ?? [];
  return [
    ...issues.map(({ path, message }) => `${path.join('.')} ${message}`),
    ...asyncApiCheck().ofEvent(event),
  ];
}
