import type { JsonObject } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Failure } from '#protocol/task-states.ts';
import type { DraftPart } from '#protocol-client.ts';
import type { Message } from '#resources/message/schema.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import { A2A_EVENTS } from './events.ts';
import { HARN_EXTENSION, PERMISSION_MEDIA_TYPE } from './extension.ts';
import { encodeDraft, type InlineBytes, ROLES_V1, ROLES_V03 } from './message.ts';
import { outwardState, STATES_V1, STATES_V03 } from './states.ts';
import type { Event, StoredPart, TaskView, Update, ViewArtifact, ViewStatus } from './task-view.ts';

/** The version a client speaks. */
export type Version = '1.0' | '0.3';

/** What encoding needs besides the Task: everything that had to be read is at hand. */
export interface Encoding {
  version: Version;
  taskId: string;
  contextId: string;
  /** The client asked for the Harn extension. */
  extended: boolean;
  /** Bytes by artifact id, for parts of messages. */
  bytes: ReadonlyMap<string, InlineBytes>;
  /** Parts that events only describe, by `<artifact id>/<piece>`. */
  parts: ReadonlyMap<string, DraftPart>;
}

/** A Task snapshot. `historyLength` 0 leaves the history out, undefined gives all of it. */
export function encodeTask(
  view: TaskView,
  encoding: Encoding,
  options: { historyLength?: number | undefined; artifacts: boolean },
): JsonObject {
  const { historyLength } = options;
  const history = historyLength === undefined ? view.history : lastOf(view.history, historyLength);
  const artifacts = options.artifacts ? [...view.artifacts.values()] : [];
  const metadata = { ...view.metadata, ...extra(encoding, () => taskFacts(view)) };
  return {
    ...kind(encoding, 'task'),
    id: encoding.taskId,
    contextId: encoding.contextId,
    status: encodeStatus(view.status, view, encoding),
    ...listed(
      'artifacts',
      artifacts.map((artifact) => encodeArtifact(artifact, encoding)),
    ),
    ...listed(
      'history',
      history.map((message) => encodeMessage(message, encoding)),
    ),
    ...filledMetadata(metadata),
  };
}

/** An event of a stream, under the member or the kind by which its version names it; `event` updates are the extension's. */
export function encodeUpdate(update: Update, view: TaskView, encoding: Encoding, event: Event): JsonObject {
  const { taskId, contextId } = encoding;
  if (update.type === 'artifact') {
    const { artifact, append, lastChunk } = update;
    return streamEvent('artifact', encoding, {
      taskId,
      contextId,
      artifact: encodeArtifact(artifact, encoding),
      ...(append ? { append } : {}),
      ...(lastChunk ? { lastChunk } : {}),
      ...filledMetadata({ ...update.metadata, ...extra(encoding, () => ({ event_id: event.id })) }),
    });
  }
  const isOwn = update.type === 'event';
  const status = isOwn ? view.status : update.status;
  const own = isOwn
    ? { event_id: event.id, event: event.event, payload: event.payload }
    : { event_id: event.id };
  const metadata = { ...(isOwn ? {} : update.metadata), ...extra(encoding, () => own) };
  return streamEvent('status', encoding, {
    taskId,
    contextId,
    status: encodeStatus(status, view, encoding),
    ...(encoding.version === '0.3' ? { final: !isOwn && isFinal(status) } : {}),
    ...filledMetadata(metadata),
  });
}

/** Under the member that names it in 1.0; bare, with its kind, in 0.3. */
export function streamEvent(
  name: keyof typeof A2A_EVENTS,
  { version }: Pick<Encoding, 'version'>,
  body: JsonObject,
): JsonObject {
  const { member, kind: word } = A2A_EVENTS[name];
  return version === '1.0' ? { [member]: body } : { kind: word, ...body };
}

export function encodeMessage(message: Message, encoding: Encoding): JsonObject {
  const kept = isObject(message.metadata['a2a']) ? message.metadata['a2a'] : {};
  const { version, taskId, contextId } = encoding;
  const role = (version === '1.0' ? ROLES_V1 : ROLES_V03).encode(message.role);
  const metadata = {
    ...(isObject(kept['metadata']) ? kept['metadata'] : {}),
    ...extra(encoding, () => ({
      message_id: message.id,
      created_at: message.created_at,
      role: message.role,
    })),
  };
  return {
    ...kind(encoding, 'message'),
    messageId: messageIdOf(message),
    contextId,
    taskId,
    role: role.known ? role.word : role.raw,
    parts: message.parts.map((part) => encodeDraft(part, version, encoding.bytes)),
    ...filledMetadata(metadata),
    ...(Array.isArray(kept['extensions']) ? { extensions: kept['extensions'] } : {}),
    ...(Array.isArray(kept['reference_task_ids']) ? { referenceTaskIds: kept['reference_task_ids'] } : {}),
  };
}

/** The id its author gave it. */
function messageIdOf({ id, metadata }: Message): string {
  const { a2a, upstream_message_id: upstream } = metadata;
  if (isObject(a2a) && typeof a2a['message_id'] === 'string') return a2a['message_id'];
  return typeof upstream === 'string' ? upstream : id;
}

function encodeStatus(status: ViewStatus, view: TaskView, encoding: Encoding): JsonObject {
  const words = encoding.version === '1.0' ? STATES_V1 : STATES_V03;
  const state = words.encode(outwardState(status.status, status.failure?.code));
  const message = status.message ?? spokenFor(status, view);
  return {
    state: state.known ? state.word : state.raw,
    timestamp: status.time,
    ...(message === undefined ? {} : { message: encodeMessage(message, encoding) }),
  };
}

/**
 * What the gateway says where no agent did: which permission is wanted, or why the Task failed. An agent of another protocol
 * ends without a word; its last one is the answer, and clients look for that where the Task ends.
 */
function spokenFor(status: ViewStatus, view: TaskView): Message | undefined {
  const { task } = view;
  if (task === undefined) return undefined;
  const isAgents = (task.assigned_agent_id ?? '').startsWith('a2a:');
  if (status.request !== undefined && !(isAgents && status.request.request.kind !== 'tool'))
    return requestMessage(status.request, task.session_id);
  const { failure } = status;
  const last = view.history.at(-1);
  if (status.status === 'COMPLETED') return isAgents || last?.role !== 'agent' ? undefined : last;
  const isSilent = failure === undefined || (isAgents && SILENT_FAILURES.includes(failure.code));
  return isSilent ? undefined : failureMessage(failure, task.id, task.session_id, status.time);
}

/** Failures that an agent reported without a word. */
const SILENT_FAILURES: readonly string[] = ['runtime_error', 'rejected'];

function requestMessage(request: PermissionRequest, sessionId: string): Message {
  const { message, ...question } = request.request;
  const value = { request_id: request.id, action: request.action, ...question } as unknown as JsonObject;
  const metadata = { a2a: { media_type: PERMISSION_MEDIA_TYPE } };
  return {
    ...gatewayMessage(request.id, sessionId, request.created_at),
    parts: [
      { type: 'text', text: message, visibility: 'public' },
      { type: 'json', value, visibility: 'public', metadata },
    ],
  };
}

function failureMessage(failure: Failure, taskId: string, sessionId: string, time: string): Message {
  const { code, type = 'runtime_error' } = failure;
  return {
    ...gatewayMessage(`${taskId}.failure`, sessionId, time),
    metadata: { a2a: { metadata: { [HARN_EXTENSION]: { failure: { code, type } } } } },
    parts: [{ type: 'text', text: failure.message, visibility: 'public' }],
  };
}

function gatewayMessage(id: string, sessionId: string, time: string): Omit<Message, 'parts'> {
  const times = { created_at: time, updated_at: time };
  return {
    id,
    object: 'message',
    ...times,
    metadata: {},
    workspace_id: '',
    session_id: sessionId,
    task_id: null,
    role: 'agent',
  };
}

function encodeArtifact({ upstreamId, metadata, parts }: ViewArtifact, encoding: Encoding): JsonObject {
  const { name, description, a2a } = metadata;
  const kept = isObject(a2a) ? a2a : {};
  return {
    artifactId: upstreamId,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    parts: parts.map((stored) => encodeDraft(partOf(stored, encoding), encoding.version, encoding.bytes)),
    ...(isObject(kept['metadata']) ? { metadata: kept['metadata'] } : {}),
    ...(Array.isArray(kept['extensions']) ? { extensions: kept['extensions'] } : {}),
  };
}

/** A part whose content is gone leaves as its description, so that positions stay. */
function partOf({ artifactId, piece, part }: StoredPart, { parts }: Encoding): DraftPart {
  if (part['type'] !== 'described') return part as unknown as DraftPart;
  const value = { artifact_id: artifactId, available: false, ...part };
  return parts.get(`${artifactId}/${piece}`) ?? { type: 'json', value, visibility: 'public' };
}

/** What a follower of A2A 0.3 learns from `final`: nothing comes after it on this stream. */
function isFinal({ status }: ViewStatus): boolean {
  return ['COMPLETED', 'FAILED', 'CANCELED', 'INPUT_REQUIRED'].includes(status);
}

function taskFacts({ task }: TaskView): JsonObject {
  if (task === undefined) return {};
  const { session_id, workspace_id, persona_id, branch_id, receipt_id, outcome_id, assigned_agent_id } = task;
  return {
    session_id,
    workspace_id,
    persona_id,
    branch_id,
    receipt_id,
    outcome_id,
    route: assigned_agent_id,
  };
}

function extra({ extended }: Encoding, facts: () => JsonObject): JsonObject {
  return extended ? { [HARN_EXTENSION]: facts() } : {};
}

function kind({ version }: Encoding, name: 'task' | 'message'): JsonObject {
  return version === '0.3' ? { kind: A2A_EVENTS[name].kind } : {};
}

/** Empty lists and objects are how A2A spells absence; leaving them out says the same in every codec. */
function listed(name: string, list: JsonObject[]): JsonObject {
  return list.length === 0 ? {} : { [name]: list };
}

function filledMetadata(metadata: JsonObject): JsonObject {
  return Object.keys(metadata).length === 0 ? {} : { metadata };
}

function lastOf(list: readonly Message[], count: number): readonly Message[] {
  return count === 0 ? [] : list.slice(-count);
}
