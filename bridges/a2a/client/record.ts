import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, textOf } from '#protocol/json-shape.ts';
import type { Rules } from '#protocol/rules.ts';
import type { DraftPart, Frame, Seen } from '#protocol-client.ts';
import { type A2aErrorName, findError } from '../../../mappings/a2a/errors.ts';
import { type A2aEventName, decodeEvent } from '../../../mappings/a2a/events.ts';
import { decodeParts } from '../../../mappings/a2a/message.ts';
import {
  type A2aOperation,
  type A2aProtocol,
  INTERFACES,
  isOperation,
  PROTOCOLS,
} from '../../../mappings/a2a/operations.ts';
import { fromProto03 } from '../../../mappings/a2a/proto-03.ts';
import { withJsonNames } from '../../../mappings/a2a/proto-names.ts';
import { unavailable } from '../../wire/faults.ts';
import { sha256 } from '../../wire/sha256.ts';

/** Ids of the agent, each with the Task it stands for. */
export type HarnTasks = readonly (readonly [remote: string, task: string])[];

/** Body of a recorded frame: what arrived, untouched, and what it answered. All that interpretation needs. */
export interface A2aRecord {
  protocol: A2aProtocol;
  operation: A2aOperation;
  /** Id of the JSON-RPC request; absent over HTTP+JSON. */
  request_id?: string;
  /** Only when it was not 200. */
  http_status?: number;
  /** Marks the refusal of a message to a task that is still open: it is noted and ends nothing. */
  task_goes_on?: true;
  /** Marks a snapshot of the task as it stood before the message of the turn: it is no answer to it. */
  stood?: true;
  /** The Tasks that it refers to, as they were known when it came; only when there are any. */
  tasks?: HarnTasks;
  /** The message as it came over gRPC, in base64. */
  bytes?: string;
  /** Lower-case hex, of bytes that hold a secret. */
  bytes_sha256?: string;
  message: JsonValue;
}

export interface AgentError {
  /** Undefined when no table knows it. */
  name: A2aErrorName | undefined;
  code: number | undefined;
  reason: string | undefined;
  httpStatus: number | undefined;
  message: string;
}

/** What a record holds. `foreign` and `unknown` are noted and otherwise ignored. */
export type Reading =
  | { kind: 'event'; event: A2aEventName; body: JsonObject }
  | { kind: 'error'; error: AgentError }
  | { kind: 'foreign'; id: JsonValue }
  | { kind: 'unknown'; reason: string };

/** A record with what it holds, as it travels with its frame. */
export class ReadRecord {
  readonly record: A2aRecord;
  /** By the names of both codecs. */
  readonly reading: Reading;

  constructor(record: A2aRecord, reading: Reading) {
    this.record = record;
    this.reading = reading;
  }
}

/** The record of a frame and what it holds: as it was read when it came, or read from the body where it was recorded. */
export function recordOf(
  frame: Extract<Frame, { kind: 'message' }>,
  { rules: { a2aNames: names } }: Pick<Seen, 'rules'>,
): ReadRecord | undefined {
  if (frame.read instanceof ReadRecord && names === 'both') return frame.read;
  const record = asRecord(frame.body);
  return record && { record, reading: readRecord(record, names) };
}

export function toFrameBody(record: A2aRecord): JsonObject {
  const { tasks, ...rest } = record;
  return { ...rest, ...(tasks !== undefined && { tasks: tasks.map((row) => [...row]) }) };
}

/** The record of a frame body; undefined when it is none (an override may put anything there). */
function asRecord(body: JsonValue): A2aRecord | undefined {
  if (!isObject(body)) return undefined;
  const { protocol, operation, request_id: requestId, http_status: httpStatus, message } = body;
  const goesOn = body['task_goes_on'] === true;
  const stood = body['stood'] === true;
  const tasks = asTasks(body['tasks']);
  const knownProtocol = PROTOCOLS.find((name) => name === protocol);
  if (knownProtocol === undefined || typeof operation !== 'string' || !isOperation(operation))
    return undefined;
  return {
    protocol: knownProtocol,
    operation,
    ...(typeof requestId === 'string' && { request_id: requestId }),
    ...(typeof httpStatus === 'number' && { http_status: httpStatus }),
    ...(goesOn && { task_goes_on: true }),
    ...(stood && { stood }),
    ...textMember('bytes', body['bytes']),
    ...textMember('bytes_sha256', body['bytes_sha256']),
    ...(tasks !== undefined && { tasks }),
    message: message ?? null,
  };
}

function textMember<Name extends string>(name: Name, value: JsonValue | undefined) {
  return typeof value === 'string' ? { [name]: value } : {};
}

function asTasks(value: JsonValue | undefined): HarnTasks | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((row) => {
    const [remote, task] = Array.isArray(row) ? row : [];
    return typeof remote === 'string' && typeof task === 'string' ? [[remote, task] as const] : [];
  });
}

/** Reads what a record holds, tolerant of every dialect. `names`: by the rules of the task; what comes now has either. */
export function readRecord(record: A2aRecord, names: Rules['a2aNames'] = 'both'): Reading {
  const { message } = record;
  if (!isObject(message)) return { kind: 'unknown', reason: 'not an object' };
  if (record.request_id !== undefined && !answers(message['id'], record.request_id)) {
    return { kind: 'foreign', id: message['id'] ?? null };
  }
  if (isObject(message['error']))
    return { kind: 'error', error: readError(message['error'], record.http_status) };
  const { isProto03 } = INTERFACES[record.protocol];
  if (isProto03 && isBareError(message))
    return { kind: 'error', error: readError(message, record.http_status) };
  const answer = record.request_id === undefined ? message : message['result'];
  const payload = isProto03 ? fromProto03(message) : answer;
  const decoded = decodeEvent(names === 'both' && payload !== undefined ? withJsonNames(payload) : payload);
  return decoded.event === 'unknown'
    ? { kind: 'unknown', reason: decoded.reason }
    : { kind: 'event', event: decoded.event, body: decoded.body };
}

/** Errors over HTTP+JSON of 0.3 are those of JSON-RPC, or have the name of their class. Spec: A2A 0.3, 8. */
function isBareError({ code, type, message }: JsonObject): boolean {
  return typeof message === 'string' && (typeof code === 'number' || typeof type === 'string');
}

/** An id of null means nobody else: errors before parsing have it, and `harn serve` sends it on every stream frame. */
function answers(id: JsonValue | undefined, requestId: string): boolean {
  return id === requestId || id === null || id === undefined;
}

function readError(error: JsonObject, httpStatus: number | undefined): AgentError {
  // Over HTTP+JSON `code` is the HTTP status again, which must not be read as a JSON-RPC code.
  const code = typeof error['code'] === 'number' && error['code'] < 0 ? error['code'] : undefined;
  const reason = reasonOf(error['details']) ?? reasonOf(error['data']);
  const found = findError({ code, reason, httpStatus, className: textOf(error['type']) });
  return {
    name: found.known ? found.name : undefined,
    code,
    reason,
    httpStatus,
    message: typeof error['message'] === 'string' ? error['message'] : '',
  };
}

/** The reason of the first `google.rpc.ErrorInfo`. Spec: A2A 1.0, 9.5 and 11.6. */
function reasonOf(details: JsonValue | undefined): string | undefined {
  const infos = Array.isArray(details) ? details : [];
  const info = infos.find((entry) => isObject(entry) && typeof entry['reason'] === 'string');
  return isObject(info) && typeof info['reason'] === 'string' ? info['reason'] : undefined;
}

/** Longest id, name or word taken from an agent, in UTF-16 units: all of them are kept in folds, most in memory. */
export const MAX_NAME_LENGTH = 512;

const HASH_LENGTH = 64;

/** The text, or its first `max` units; half a surrogate pair at the cut would not be JSON text. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

/** An id or name of at most 512 units: of a longer one the head and the SHA-256 of all, so that two stay two. */
export function bounded(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = sha256(name);
  return `${cut(name, MAX_NAME_LENGTH - HASH_LENGTH - 1)}~${hash}`;
}

/** What names a JSON-RPC request, as details of a note may show it. */
export function boundedId(id: JsonValue): JsonValue {
  if (typeof id === 'string') return bounded(id);
  return typeof id === 'number' ? id : null;
}

/** Ids that are sent back as they came cannot be shortened. */
export function isBindable(id: string): boolean {
  return id.length <= MAX_NAME_LENGTH;
}

/** Throws Fault when an event names a task or context that cannot be kept. */
export function refuseOverlong(reading: Reading): void {
  if (reading.kind !== 'event') return;
  const { event, body } = reading;
  for (const id of [body[event === 'task' ? 'id' : 'taskId'], body['contextId']]) {
    if (typeof id !== 'string' || isBindable(id)) continue;
    throw unavailable(
      'overlong_id',
      `The agent sent a task or context id of more than ${MAX_NAME_LENGTH} characters.`,
    );
  }
}

/** The parts of a message or artifact, their names and words bounded; content is bounded elsewhere. */
export function boundedParts(raw: JsonValue | undefined): DraftPart[] {
  return decodeParts(raw).map(boundedPart);
}

function boundedPart(part: DraftPart): DraftPart {
  switch (part.type) {
    case 'bytes': {
      const name = part.name === undefined ? {} : { name: bounded(part.name) };
      return { ...part, mime_type: bounded(part.mime_type), ...name };
    }
    case 'file_ref':
      return { ...part, mime_type: bounded(part.mime_type) };
    case 'tool_call':
      return { ...part, tool_call_id: bounded(part.tool_call_id), name: bounded(part.name) };
    case 'tool_result':
      return { ...part, tool_call_id: bounded(part.tool_call_id) };
    default:
      return part;
  }
}
