import type { TaxonomyKind } from '#protocol/event-kinds.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { wordTable } from '../table.ts';

/** Events of an A2A stream, by what they are. */
export type A2aEventName = 'task' | 'message' | 'status' | 'artifact';

/** How each event is recognized. 0.3 has a `kind`, 1.0 the name of the member; `harn serve` has a `type`. */
export const A2A_EVENTS = {
  task: { member: 'task', kind: 'task', harnServe: 'task' },
  message: { member: 'message', kind: 'message', harnServe: 'message' },
  status: { member: 'statusUpdate', kind: 'status-update', harnServe: 'status' },
  artifact: { member: 'artifactUpdate', kind: 'artifact-update', harnServe: 'artifact' },
} as const satisfies Record<A2aEventName, { member: string; kind: string; harnServe: string }>;

type DecodedEvent =
  | { readonly event: A2aEventName; readonly body: JsonObject }
  /** Nothing the tables know: recorded, noted, never guessed. */
  | { readonly event: 'unknown'; readonly reason: string };

/**
 * Recognizes an event in the words of either version or of `harn serve`; its members stay as they came.
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

const IN_STATE = 'the kind: it is read from the state of the update';

/** A2A has no word for it: sent only to clients that asked for the Harn extension, dropped for all others. */
const EXTENSION_ONLY = { to: null, loses: 'the event, unless the client named the Harn extension' } as const;

/** Which A2A stream event a Harn event leaves as, and what one that arrives is first of all. See mappings/README.md, Events. */
export const EVENT_KINDS = wordTable<TaxonomyKind, A2aEventName>()({
  toForeign: {
    'user.message': EXTENSION_ONLY,
    'user.input_submitted': EXTENSION_ONLY,
    'user.tool_confirmation': EXTENSION_ONLY,
    'user.cancel_requested': EXTENSION_ONLY,
    'agent.message': 'message',
    'agent.reasoning_summary': EXTENSION_ONLY,
    'agent.tool_use': EXTENSION_ONLY,
    'agent.tool_result': EXTENSION_ONLY,
    'agent.mcp_tool_use': EXTENSION_ONLY,
    'agent.handoff': EXTENSION_ONLY,
    'agent.memory_read': EXTENSION_ONLY,
    'agent.memory_write': EXTENSION_ONLY,
    'task.submitted': 'task',
    'task.started': { to: 'status', loses: IN_STATE },
    'task.input_required': { to: 'status', loses: IN_STATE },
    'task.auth_required': { to: 'status', loses: IN_STATE },
    'task.completed': { to: 'status', loses: IN_STATE },
    'task.failed': { to: 'status', loses: IN_STATE },
    'task.canceled': { to: 'status', loses: IN_STATE },
    'task.status_changed': 'status',
    'session.created': EXTENSION_ONLY,
    'session.closed': EXTENSION_ONLY,
    'session.message_appended': { to: 'message', loses: 'that the transcript grew: agent.message says it' },
    'session.compacted': EXTENSION_ONLY,
    'session.truncated': EXTENSION_ONLY,
    'session.thread_forked': EXTENSION_ONLY,
    'session.thread_merged': EXTENSION_ONLY,
    'session.replayed': EXTENSION_ONLY,
    'branch.created': EXTENSION_ONLY,
    'branch.updated': EXTENSION_ONLY,
    'branch.merged': EXTENSION_ONLY,
    'branch.abandoned': EXTENSION_ONLY,
    'artifact.created': { to: 'artifact', loses: 'that the artifact is new: append is false either way' },
    'artifact.updated': 'artifact',
    'artifact.linked': EXTENSION_ONLY,
    'artifact.redacted': EXTENSION_ONLY,
    'span.started': EXTENSION_ONLY,
    'span.updated': EXTENSION_ONLY,
    'span.completed': EXTENSION_ONLY,
    'span.failed': EXTENSION_ONLY,
    'tool.requested': EXTENSION_ONLY,
    'tool.approval_required': { to: 'status', loses: 'which tool waits: the state is AUTH_REQUIRED' },
    'tool.approved': EXTENSION_ONLY,
    'tool.denied': EXTENSION_ONLY,
    'tool.completed': EXTENSION_ONLY,
    'tool.failed': EXTENSION_ONLY,
    'connector.delivery_received': EXTENSION_ONLY,
    'connector.delivery_deduped': EXTENSION_ONLY,
    'connector.normalized': EXTENSION_ONLY,
    'connector.task_submitted': EXTENSION_ONLY,
    'connector.failed': EXTENSION_ONLY,
    'receipt.issued': EXTENSION_ONLY,
    'receipt.verified': EXTENSION_ONLY,
    'receipt.verification_failed': EXTENSION_ONLY,
    'replay.started': EXTENSION_ONLY,
    'replay.event_replayed': EXTENSION_ONLY,
    'replay.completed': EXTENSION_ONLY,
    'replay.failed': EXTENSION_ONLY,
  },
  fromForeign: {
    task: 'task.submitted',
    message: 'agent.message',
    status: 'task.status_changed',
    artifact: 'artifact.updated',
  },
});
