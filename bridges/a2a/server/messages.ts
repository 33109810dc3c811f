import type { Gateway } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isObject, objectOf } from '#protocol/json-shape.ts';
import { isBlocked, isTerminal } from '#protocol/task-states.ts';
import type { DraftPart } from '#protocol-client.ts';
import type { ServerRequest } from '#protocol-server.ts';
import type { Artifact } from '#resources/artifact/schema.ts';
import type { Message, MessageInput, Part } from '#resources/message/schema.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { refusal } from '../../../mappings/a2a/errors-out.ts';
import { decodePart } from '../../../mappings/a2a/message.ts';
import type { SendRequest } from '../../../mappings/a2a/requests.ts';
import { ask, storeBytes } from '../../wire/gateway-calls.ts';
import { type Addressed, type Negotiated, ownTask } from './asking.ts';

/** A message that was taken: the Task it belongs to, and its id in the log. */
export interface Taken {
  task: Task;
  messageId: string;
}

/** Takes a message as a new Task, or as what an open one waits for. */
export async function takeMessage(
  gateway: Gateway,
  exchange: ServerRequest,
  to: Addressed,
  request: SendRequest,
  negotiated: Negotiated,
): Promise<Taken> {
  if (request.taskId !== undefined)
    return (await readyAnswer(gateway, exchange, to, request, request.taskId))();
  const { defaultWorkspace } = exchange.caller();
  const parts = await storedParts(gateway, exchange, request, defaultWorkspace);
  const { contextId, kept } = request;
  const asked = negotiated.requested.length === 0 ? {} : { requested_extensions: [...negotiated.requested] };
  const body: JsonObject = {
    input: messageOf(parts, { ...kept, ...asked }) as unknown as JsonObject,
    ...(to.persona === undefined ? {} : { persona_id: to.persona.id }),
    metadata: {
      ...(to.agent === undefined ? {} : { route: to.agent.route }),
      ...(contextId === undefined ? {} : { a2a: { context_id: contextId } }),
    },
    ...(await placeOf(gateway, exchange, contextId, defaultWorkspace)),
  };
  const task = await ask<Task>(gateway, 'submitTask', exchange.call({ body }));
  return { task, messageId: (task.input as Message).id };
}

/**
 * Where a new Task goes. A context id of ours is the id of a Session; any other one is the client's own name for a Session,
 * which is made with the first Task. It is never replaced: the client goes on with its own.
 */
async function placeOf(
  gateway: Gateway,
  exchange: ServerRequest,
  contextId: string | undefined,
  workspaceId: string,
): Promise<JsonObject> {
  if (contextId === undefined) return { session: { workspace_id: workspaceId } };
  if (isSessionId(contextId) && (await isVisible(gateway, exchange, contextId)))
    return { session_id: contextId };
  const metadata = { a2a: { client_context_id: contextId } };
  return { session: { workspace_id: workspaceId, key: contextId, metadata } };
}

export function isSessionId(contextId: string): boolean {
  return /^session_[0-9A-HJKMNP-TV-Z]{26}$/.test(contextId);
}

async function isVisible(gateway: Gateway, exchange: ServerRequest, sessionId: string): Promise<boolean> {
  const call = exchange.call({ path: { session_id: sessionId } });
  return gateway.call('getSession', call).then(
    () => true,
    (error: unknown) => {
      if (isAbsent(error)) return false;
      throw error;
    },
  );
}

function isAbsent(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === 'resource_not_found';
}

/**
 * A message to a Task: the answer to what it asks, or a word to the working agent. Rejects with what is wrong about it; what it
 * resolves with hands it over.
 */
export async function readyAnswer(
  gateway: Gateway,
  exchange: ServerRequest,
  to: Addressed,
  request: SendRequest,
  taskId: string,
): Promise<() => Promise<Taken>> {
  const path = { task_id: taskId };
  const task = await ownTask(gateway, { exchange, to }, taskId);
  if (
    request.contextId !== undefined &&
    request.contextId !== contextIdOf(task) &&
    request.contextId !== task.session_id
  )
    throw refusal(
      'InvalidParams',
      'The task belongs to another context. Leave contextId out.',
      'message.contextId',
    );
  if (isTerminal(task.status))
    throw refusal(
      'UnsupportedOperation',
      'The task is over. Send the message without taskId for a new one.',
      'message.taskId',
    );
  const parts = await storedParts(gateway, exchange, request, task.workspace_id);
  const asked = isBlocked(task.status) ? await openRequest(gateway, exchange, taskId) : undefined;
  const decision = asked === undefined ? undefined : decisionIn(parts, asked);
  const kind = decision !== undefined ? 'tool_confirmation' : isBlocked(task.status) ? 'input' : 'interrupt';
  const message = messageOf(decision === undefined ? parts : [decision, ...parts], request.kept);
  const body = { kind, message: message as unknown as JsonObject };
  return async () => {
    const appended = await ask<Message>(gateway, 'appendTaskMessage', exchange.call({ path, body }));
    return { task, messageId: appended.id };
  };
}

/** What the Task waits for first, if the caller may see it. */
async function openRequest(
  gateway: Gateway,
  exchange: ServerRequest,
  taskId: string,
): Promise<PermissionRequest | undefined> {
  const call = exchange.call({ path: { task_id: taskId }, query: { limit: '200' } });
  try {
    const { data } = await ask<{ data: PermissionRequest[] }>(gateway, 'listTaskPermissionRequests', call);
    return data.filter(({ status }) => status === 'pending').at(-1);
  } catch (error) {
    // Who may not read requests may still answer what an agent asks in words.
    if (error instanceof ProtocolError && error.code === 'permission_denied') return undefined;
    throw error;
  }
}

/** The context of a Task as its client knows it. */
export function contextIdOf({ metadata, session_id }: Task): string {
  const own = objectOf(metadata['a2a'])['context_id'];
  return typeof own === 'string' ? own : session_id;
}

function messageOf(parts: Part[], kept: JsonObject): MessageInput {
  return { role: 'user', parts, metadata: { a2a: kept } } as MessageInput;
}

/** Parts for the log; bytes become Artifacts first, since a Message refers to them. */
async function storedParts(
  gateway: Gateway,
  exchange: ServerRequest,
  request: SendRequest,
  workspaceId: string,
): Promise<Part[]> {
  const parts: Part[] = [];
  for (const [at, draft] of request.parts.map(decodePart).entries()) {
    parts.push(draft.type === 'bytes' ? await storedPart(gateway, exchange, draft, workspaceId, at) : draft);
  }
  return parts;
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(\s*;.*)?$/;

async function storedPart(
  gateway: Gateway,
  exchange: ServerRequest,
  { base64, mime_type, name, metadata }: Extract<DraftPart, { type: 'bytes' }>,
  workspaceId: string,
  at: number,
): Promise<Part> {
  const mimeType = MEDIA_TYPE.test(mime_type) ? mime_type : 'application/octet-stream';
  const call = exchange.call();
  // Several parts of one request have a key each.
  const key =
    call.idempotencyKey === undefined ? undefined : `${call.idempotencyKey.slice(0, 240)}:part:${at}`;
  const id = await storeBytes(
    (operation, given) => ask<Artifact>(gateway, operation, { ...call, ...given }),
    { base64, mimeType },
    { workspace_id: workspaceId },
    { register: key, upload: undefined },
  );
  const kept = {
    ...(metadata?.['a2a'] as JsonObject | undefined),
    ...(name === undefined ? {} : { filename: name }),
  };
  const rest = Object.keys(kept).length === 0 ? {} : { metadata: { a2a: kept } };
  return { type: 'artifact_ref', artifact_id: id, visibility: 'public', ...rest };
}

const YES: readonly string[] = ['yes', 'y', 'approve', 'approved', 'allow', 'ok'];
const NO: readonly string[] = ['no', 'n', 'deny', 'denied', 'reject', 'cancel'];

/**
 * The decision that a client's message is, as the part a tool confirmation has; undefined for a message that is simply an
 * answer. A data part with `approved` or `option_id` decides, or the name or id of an option as text; what an agent asks in
 * words of its own is decided only by a data part that names the request. Throws InvalidParams when a tool waits and the
 * message decides nothing: no guess is made about what may be done.
 */
function decisionIn(parts: readonly Part[], { id, request, source }: PermissionRequest): Part | undefined {
  if (request.kind === 'elicitation') return undefined;
  const stated = parts.map(statedIn).find((value) => value !== undefined);
  const isOwnWords = request.kind === 'authorization' && source === 'hitl';
  if (isOwnWords) return stated?.['request_id'] === id ? decision(id, stated) : undefined;
  if (stated !== undefined) return decision(id, stated);
  const byWord = decisionByWord(parts, request);
  if (byWord !== undefined) return decision(id, byWord);
  const names = request.options.map(({ option_id }) => option_id).join(', ');
  throw refusal(
    'InvalidParams',
    `The task waits for a decision. Send a data part {"option_id": ...} with one of: ${names}.`,
    'message.parts',
  );
}

function decisionByWord(
  parts: readonly Part[],
  { options }: PermissionRequest['request'],
): JsonObject | undefined {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
  const word = text.trim().toLowerCase();
  const option = options.find(({ option_id, name }) =>
    [option_id, name].some((it) => it.toLowerCase() === word),
  );
  if (option !== undefined) return { option_id: option.option_id };
  if (YES.includes(word)) return { approved: true };
  return NO.includes(word) ? { approved: false } : undefined;
}

function statedIn(part: Part): JsonObject | undefined {
  if (part.type !== 'json' || !isObject(part.value)) return undefined;
  return 'approved' in part.value || 'option_id' in part.value ? part.value : undefined;
}

function decision(requestId: string, { approved, option_id, reason }: JsonObject): Part {
  const value: JsonObject = {
    request_id: requestId,
    ...(approved === undefined ? {} : { approved }),
    ...(option_id === undefined ? {} : { option_id }),
    ...(reason === undefined ? {} : { reason }),
  };
  return { type: 'json', value, visibility: 'public' };
}
