import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';

/** Events of an A2A stream, by what they are. */
export type A2aEventName = 'task' | 'message' | 'status' | 'artifact';

/** How each event is told apart. 0.3 has a `kind`, 1.0 the name of the member; `harn serve` has a `type`. */
export const A2A_EVENTS = {
  task: { member: 'task', kind: 'task', harnServe: 'task' },
  message: { member: 'message', kind: 'message', harnServe: 'message' },
  status: { member: 'statusUpdate', kind: 'status-update', harnServe: 'status' },
  artifact: { member: 'artifactUpdate', kind: 'artifact-update', harnServe: 'artifact' },
} as const satisfies Record<A2aEventName, { member: string; kind: string; harnServe: string }>;

export type DecodedEvent =
  | { readonly event: A2aEventName; readonly body: JsonObject }
  /** Nothing the tables know: recorded, noted, never guessed. */
  | { readonly event: 'unknown'; readonly reason: string };

/**
 * Tells what an event is, in the words of either version or of `harn serve`; its members stay as they came.
 * The name of the wrapping member decides (1.0), else `kind` or `type` (0.3, harn serve), else the shape of a bare
 * Task or Message (an answer of GetTask in 1.0).
 */
export function decodeEvent(value: JsonValue | undefined): DecodedEvent {
  if (!isObject(value)) return { event: 'unknown', reason: 'not an object' };
  return byWord(value) ?? byMember(value) ?? byShape(value) ?? unknown(value);
}

const NAMES = Object.keys(A2A_EVENTS) as A2aEventName[];

function byWord(value: JsonObject): DecodedEvent | undefined {
  const word = value['kind'] ?? value['type'];
  const event = NAMES.find((name) => word === A2A_EVENTS[name].kind || word === A2A_EVENTS[name].harnServe);
  return event === undefined ? undefined : { event, body: value };
}

function byMember(value: JsonObject): DecodedEvent | undefined {
  // A bare Task has no such member; a status has a message, but only below `status`.
  if (typeof value['id'] === 'string') return undefined;
  let found: Extract<DecodedEvent, { body: JsonObject }> | undefined;
  for (const event of NAMES) {
    const body = value[A2A_EVENTS[event].member];
    if (body === undefined || !isObject(body)) continue;
    if (found !== undefined) return undefined;
    found = { event, body };
  }
  return found;
}

function byShape(value: JsonObject): DecodedEvent | undefined {
  if (typeof value['id'] === 'string' && value['status'] !== undefined) return { event: 'task', body: value };
  if (Array.isArray(value['parts']) && typeof value['role'] === 'string')
    return { event: 'message', body: value };
  if (typeof value['taskId'] !== 'string') return undefined;
  if (isObject(value['artifact'])) return { event: 'artifact', body: value };
  return value['status'] === undefined ? undefined : { event: 'status', body: value };
}

function unknown(value: JsonObject): DecodedEvent {
  const word = value['kind'] ?? value['type'];
  const names = Object.keys(value).slice(0, 8).join(', ');
  return {
    event: 'unknown',
    reason: typeof word === 'string' ? `kind ${word.slice(0, 64)}` : `members ${names}`,
  };
}
