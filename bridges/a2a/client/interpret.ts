import { ERROR_CODES, type ErrorCode } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, textOf } from '#protocol/json-shape.ts';
import { type Failure, isTerminal, type TaskStatus } from '#protocol/task-states.ts';
import { readUsage } from '#protocol/usage.ts';
import type { ArtifactDraft, MessageDraft, Move, Seen } from '#protocol-client.ts';
import { A2A_ERRORS, type A2aErrorRow, harnCodeOfHttp } from '../../../mappings/a2a/errors.ts';
import { decodeRole } from '../../../mappings/a2a/message.ts';
import { decodeState, type HarnState, statusOf, UNKNOWN_STATE } from '../../../mappings/a2a/states.ts';
import { A2A_USAGE } from '../../../mappings/a2a/usage-words.ts';
import { type FaultFrame, interpreter } from '../../wire/turn.ts';
import { isForeignTask, rawState, withHarnTasks } from './progress.ts';
import {
  type A2aRecord,
  type AgentError,
  bounded,
  boundedId,
  boundedParts,
  cut,
  isBindable,
  type ReadRecord,
  recordOf,
} from './record.ts';

/** What a frame means, by the tables of mappings/a2a. Pure: the same frame and the same past give the same moves. */
export const interpret = interpreter<ReadRecord>({
  peer: 'agent',
  read: recordOf,
  moves: recordMoves,
  besides: ({ details }) =>
    details?.['operation'] === 'CancelTask'
      ? [{ type: 'note', note: 'cancel_failed', details: { ...details } }]
      : undefined,
  fault: faultMoves,
});

function recordMoves({ record, reading }: ReadRecord, seen: Seen): Move[] {
  if (reading.kind === 'error') return interpretError(record, reading.error, seen);
  if (reading.kind === 'foreign')
    return [{ type: 'note', note: 'foreign_answer', details: { id: boundedId(reading.id) } }];
  if (reading.kind === 'unknown')
    return [{ type: 'note', note: 'unknown_message', details: { reason: bounded(reading.reason) } }];
  const { event } = reading;
  const body = withHarnTasks(reading.body, record.tasks);
  if (isTerminal(seen.status)) return [{ type: 'note', note: 'late_result', details: { event } }];
  if (isForeignTask(reading, record.operation, textOf(seen.binding?.['task_id']))) {
    return [{ type: 'note', note: 'foreign_task', details: { event } }];
  }
  switch (event) {
    case 'task':
      return [...usageMoves(body), ...interpretTask(body, record, seen)];
    case 'message':
      return [...usageMoves(body), ...interpretMessage(body, seen)];
    case 'status':
      return [...usageMoves(body), ...interpretStatus(body, record, seen)];
    case 'artifact':
      return interpretArtifact(body, seen);
  }
}

/** A refused message whose task goes on, and a credential that the agent wants first. */
function faultMoves({ code, message, details }: FaultFrame, seen: Seen): Move[] | undefined {
  if (details?.['task_goes_on'] === true)
    return [{ type: 'note', note: 'message_refused', details: { ...details, code, message } }];
  if (code !== 'auth_required') return undefined;
  if (seen.status === 'AUTH_REQUIRED') return [];
  const metadata = { a2a: { ...details, auth_message: message } };
  return details?.['untaken'] === true
    ? [{ type: 'metadata', patch: metadata }, connection(message)]
    : [{ type: 'status', to: 'AUTH_REQUIRED', metadata }];
}

/** Somebody gives the gateway a credential and says so; the agent took nothing of the message, so it gets it again. */
function connection(message: string): Move {
  const permission = { kind: 'authorization' as const, source: 'hitl' as const, message };
  return { type: 'permission', permission: { ...permission, resends: true } };
}

/** What the agent says that its task used so far, beside whatever else the event says. */
function usageMoves(body: JsonObject): Move[] {
  const status = body['status'];
  const spoken = isObject(status) ? status['message'] : undefined;
  return (isObject(spoken) ? [body, spoken] : [body]).flatMap((one): Move[] => {
    const { metadata } = one;
    return isObject(metadata) && !isUserMessage(one) ? movesOf(metadata) : [];
  });
}

function movesOf(metadata: JsonObject): Move[] {
  const { figures, refused } = readUsage(A2A_USAGE, metadata);
  const moves: Move[] =
    Object.keys(figures).length === 0 ? [] : [{ type: 'usage', usage: { counts: 'total', ...figures } }];
  if (refused.length === 0) return moves;
  return [...moves, { type: 'note', note: 'usage_refused', details: { members: refused } }];
}

/** A description is a sentence or two; what is longer belongs into the parts. */
const MAX_DESCRIPTION_LENGTH = 2_000;

/** A TaskArtifactUpdateEvent: appends parts or replaces the artifact, exactly as it says. */
function interpretArtifact(body: JsonObject, seen: Seen): Move[] {
  const binds = bindMoves(textOf(body['taskId']), textOf(body['contextId']), seen);
  const artifact = isObject(body['artifact']) ? body['artifact'] : undefined;
  const id = artifactId(artifact);
  if (artifact === undefined || id === undefined) {
    return [...binds, { type: 'note', note: 'unknown_message', details: { reason: 'artifact without id' } }];
  }
  const append = body['append'] === true;
  const isGap = append && seen.artifactParts(id) === undefined;
  const { metadata } = filled('metadata', body['metadata']);
  const chunk = artifactDraft(artifact, id, isObject(metadata) ? { event_metadata: metadata } : {});
  const draft = { ...chunk, append, lastChunk: body['lastChunk'] === true };
  return [
    ...binds,
    ...(isGap ? [{ type: 'note', note: 'missed_chunk', details: { artifact_id: id } } as const] : []),
    { type: 'artifact', artifact: draft },
  ];
}

/** What a snapshot has and the log has not. Artifacts are compared by id and by how many parts they have. */
function reconcileArtifact(artifact: JsonObject, isOver: boolean, seen: Seen): Move[] {
  const id = artifactId(artifact);
  if (id === undefined)
    return [{ type: 'note', note: 'unknown_message', details: { reason: 'artifact without id' } }];
  const draft = artifactDraft(artifact, id);
  const known = seen.artifactParts(id);
  if (known === draft.parts.length) return [];
  // Fewer parts than the log has: the agent replaced the artifact while nobody listened.
  const isLonger = known !== undefined && known < draft.parts.length;
  const parts = isLonger ? draft.parts.slice(known) : draft.parts;
  return [{ type: 'artifact', artifact: { ...draft, parts, append: isLonger, lastChunk: isOver } }];
}

function artifactId(artifact: JsonObject | undefined): string | undefined {
  const id = textOf(artifact?.['artifactId']);
  return id === undefined ? undefined : bounded(id);
}

function artifactDraft(
  artifact: JsonObject,
  upstreamId: string,
  beside: JsonObject = {},
): Omit<ArtifactDraft, 'append' | 'lastChunk'> {
  const name = textOf(artifact['name']);
  const description = textOf(artifact['description']);
  const a2a = {
    ...filled('metadata', artifact['metadata']),
    ...filled('extensions', artifact['extensions']),
    ...beside,
  };
  return {
    upstreamId,
    ...(name !== undefined && { name: bounded(name) }),
    ...(description !== undefined && { description: cut(description, MAX_DESCRIPTION_LENGTH) }),
    parts: boundedParts(artifact['parts']),
    ...(Object.keys(a2a).length > 0 && { metadata: { a2a } }),
  };
}

const MAX_MESSAGE_LENGTH = 1_000;

/** An A2A error. A refused cancel, or message to a task that goes on, moves nothing; any other refusal ends the task. */
function interpretError(record: A2aRecord, error: AgentError, seen: Seen): Move[] {
  const details = detailsOf(error);
  if (record.operation === 'CancelTask') return [{ type: 'note', note: 'cancel_refused', details }];
  if (isTerminal(seen.status)) return [{ type: 'note', note: 'late_result', details }];
  const said = cut(error.message, MAX_MESSAGE_LENGTH);
  if (record.task_goes_on === true)
    return [{ type: 'note', note: 'message_refused', details: { ...details, message: said } }];
  const code = codeOf(error);
  const message = said === '' ? 'The agent refused the message without saying why.' : said;
  return [{ type: 'status', to: 'FAILED', failure: { code, message, type: typeOf(code), details } }];
}

function codeOf(error: AgentError): ErrorCode {
  const row: A2aErrorRow | undefined = error.name === undefined ? undefined : A2A_ERRORS[error.name];
  if (row !== undefined) return row.harn;
  return error.httpStatus === undefined ? 'upstream_unavailable' : harnCodeOfHttp(error.httpStatus);
}

/** The agent refused, not the gateway: only server-side types keep their own. */
function typeOf(code: ErrorCode): string {
  const { type } = ERROR_CODES[code];
  return type === 'rate_limit_error' ? type : 'upstream_error';
}

function detailsOf({ name, code, reason, httpStatus }: AgentError): JsonObject {
  return {
    a2a_error: name ?? 'unknown',
    ...(code !== undefined && { a2a_code: code }),
    ...(reason !== undefined && { a2a_reason: bounded(reason) }),
    ...(httpStatus !== undefined && { http_status: httpStatus }),
  };
}

/**
 * A Message of the agent. Without a task it is the whole answer: the Task completes with it, marked `message_only`.
 * Beside a task it is only said. Spec: A2A 1.0, 3.1.1.
 */
function interpretMessage(body: JsonObject, seen: Seen): Move[] {
  const taskId = textOf(seen.binding?.['task_id']);
  const binds = bindMoves(taskId, textOf(body['contextId']), seen);
  if (isUserMessage(body)) return [...binds, { type: 'note', note: 'echoed_message' }];
  const said = sayMoves(body, seen);
  if (taskId !== undefined) return [...binds, ...said];
  return [...binds, ...said, { type: 'status', to: 'COMPLETED', metadata: { a2a: { message_only: true } } }];
}

/** The message, unless the log has it already; agents that use one id for all they say say something else each time. */
function sayMoves(body: JsonObject, seen: Seen): Move[] {
  const message = draftOf(body);
  if (message.upstreamId !== undefined && seen.hasMessage(message.upstreamId, message.parts)) {
    return [{ type: 'note', note: 'repeated_message', details: { message_id: message.upstreamId } }];
  }
  return [{ type: 'message', message }];
}

/** `harn serve` calls the id `id`. A longer id than 512 characters is a shorter one to us. */
export function messageId(body: JsonObject): string | undefined {
  const id = textOf(body['messageId']) ?? textOf(body['id']);
  return id === undefined ? undefined : bounded(id);
}

function isUserMessage(body: JsonObject): boolean {
  const found = decodeRole(textOf(body['role']) ?? '');
  return found.known && found.word === 'user';
}

/** Everything an agent sends is said by the agent, whatever an unknown role word may mean. */
function draftOf(body: JsonObject): MessageDraft {
  const found = decodeRole(textOf(body['role']) ?? '');
  const upstreamId = messageId(body);
  const a2a = keptMembers(body, upstreamId, found.known ? undefined : bounded(found.raw));
  return {
    ...(upstreamId !== undefined && { upstreamId }),
    role: found.known && found.word !== 'user' ? found.word : 'agent',
    parts: boundedParts(body['parts']),
    metadata: { a2a },
  };
}

function keptMembers(body: JsonObject, id: string | undefined, rawRole: string | undefined): JsonObject {
  return {
    ...(id !== undefined && { message_id: id }),
    ...(rawRole !== undefined && rawRole !== '' && { raw_role: rawRole }),
    ...filled('metadata', body['metadata']),
    ...filled('extensions', body['extensions']),
    ...filled('reference_task_ids', body['referenceTaskIds']),
  };
}

/** The member when it says anything: empty lists and objects are how codecs spell absence. */
function filled(name: string, value: JsonValue | undefined): JsonObject {
  if (value === undefined) return {};
  const isFilled = Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
  return isFilled ? { [name]: value } : {};
}

/**
 * Keeps the remote ids. A context other than the one sent is noted and taken: later messages go there. Ids too long to
 * be kept are noted only; the driver has already refused them.
 */
function bindMoves(taskId: string | undefined, contextId: string | undefined, seen: Seen): Move[] {
  const isOverlong = [taskId, contextId].some((id) => id !== undefined && !isBindable(id));
  if (isOverlong) return [{ type: 'note', note: 'overlong_id' }];
  const known = {
    task: textOf(seen.binding?.['task_id']),
    context: textOf(seen.sessionBinding?.['context_id']),
  };
  const isNewTask = taskId !== undefined && taskId !== known.task;
  const isNewContext = contextId !== undefined && contextId !== known.context;
  if (!isNewTask && !isNewContext) return [];
  return [
    ...changed('task_changed', known.task, isNewTask ? taskId : undefined),
    ...changed('context_changed', known.context, isNewContext ? contextId : undefined),
    {
      type: 'bind',
      ...(isNewTask && { binding: bindingOf(taskId, contextId ?? known.context) }),
      ...(isNewContext && { sessionBinding: { context_id: contextId } }),
    },
  ];
}

function bindingOf(taskId: string, contextId: string | undefined): JsonObject {
  return { task_id: taskId, ...(contextId !== undefined && { context_id: contextId }) };
}

function changed(note: string, was: string | undefined, is: string | undefined): Move[] {
  return was === undefined || is === undefined ? [] : [{ type: 'note', note, details: { was, is } }];
}

/** A TaskStatusUpdateEvent. */
function interpretStatus(body: JsonObject, record: A2aRecord, seen: Seen): Move[] {
  return [
    ...bindMoves(textOf(body['taskId']), textOf(body['contextId']), seen),
    ...withMetadata(stateMoves(body, isFinalContext(record, seen), seen), body),
  ];
}

/** Metadata of an update goes with what the update says, and stands alone where it says nothing else. */
function withMetadata(moves: Move[], body: JsonObject): Move[] {
  const { metadata } = filled('metadata', body['metadata']);
  if (!isObject(metadata)) return moves;
  const at = moves.findIndex(({ type }) => type === 'status' || type === 'message');
  const move = moves[at];
  if (move?.type === 'status') {
    const patch = isObject(move.metadata?.['a2a']) ? move.metadata['a2a'] : {};
    return moves.with(at, { ...move, metadata: { ...move.metadata, a2a: { ...patch, metadata } } });
  }
  if (move?.type !== 'message') return [...metadataMoves(body), ...moves];
  const a2a = isObject(move.message.metadata?.['a2a']) ? move.message.metadata['a2a'] : {};
  const said = {
    ...move.message,
    metadata: { ...move.message.metadata, a2a: { ...a2a, event_metadata: metadata } },
  };
  return moves.with(at, { ...move, message: said });
}

/** Whether nothing follows the state that this names, whatever it is. */
function isFinalContext({ operation }: A2aRecord, { rules }: Seen): boolean {
  return operation === 'SendMessage' && rules.a2aSendAnswer === 'final';
}

function metadataMoves(body: JsonObject): Move[] {
  const kept = filled('metadata', body['metadata']);
  return Object.keys(kept).length === 0 ? [] : [{ type: 'metadata', patch: { a2a: kept } }];
}

/** The move to the state that a Task or status update names, with what the agent says about it. */
function stateMoves(body: JsonObject, isFinal: boolean, seen: Seen): Move[] {
  const status = body['status'];
  const message = isObject(status) && isObject(status['message']) ? status['message'] : undefined;
  const spoken = message === undefined || isUserMessage(message) ? undefined : message;
  const raw = rawState(body) ?? '';
  const found = decodeState(raw);
  return found.known
    ? knownMoves(found.word, spoken, seen)
    : unknownMoves(bounded(raw), isFinal, spoken, seen);
}

function knownMoves(state: HarnState, message: JsonObject | undefined, seen: Seen): Move[] {
  const to = statusOf(state);
  const stays = to === seen.status || to === 'SUBMITTED';
  if (stays) return message === undefined ? [] : sayMoves(message, seen);
  const draft = message === undefined ? undefined : draftOf(message);
  return statusMove(to, draft, to === 'FAILED' ? failureOfState(state, draft) : undefined);
}

/** A message the log has already is the message of this state too, and not said again. */
function statusMove(to: TaskStatus, message: MessageDraft | undefined, failure: Failure | undefined): Move[] {
  return [{ type: 'status', to, ...(message && { message }), ...(failure !== undefined && { failure }) }];
}

/** An unknown word is never a success: work goes on, or what should be final fails. */
function unknownMoves(raw: string, isFinal: boolean, message: JsonObject | undefined, seen: Seen): Move[] {
  const a2a = { raw_state: raw };
  const note: Move = { type: 'note', note: 'unknown_state', details: { raw_state: raw } };
  const said = message === undefined ? [] : sayMoves(message, seen);
  if (isFinal) {
    const failure: Failure = {
      code: 'upstream_unavailable',
      message: 'The agent ended in a state that the gateway does not know.',
      type: 'upstream_error',
      details: { a2a_state: raw },
    };
    return [note, ...said, { type: 'status', to: UNKNOWN_STATE.final, failure, metadata: { a2a } }];
  }
  const keep: Move =
    seen.status === 'SUBMITTED'
      ? { type: 'status', to: UNKNOWN_STATE.active, metadata: { a2a } }
      : { type: 'metadata', patch: { a2a } };
  return [note, ...said, keep];
}

/** Longest text of a failure; the whole message is in the log anyway. */
const MAX_REASON_LENGTH = 2_000;

const FAILURES = {
  FAILED: { code: 'runtime_error', type: 'runtime_error', text: 'The agent failed without saying why.' },
  REJECTED: {
    code: 'rejected',
    type: 'upstream_error',
    text: 'The agent rejected the task without saying why.',
  },
} as const;

/** REJECTED is a refusal of the agent, FAILED a fault of it. Either says why in the words of the agent, where it has any. */
function failureOfState(state: HarnState, draft: MessageDraft | undefined): Failure {
  const row = state === 'REJECTED' ? FAILURES.REJECTED : FAILURES.FAILED;
  const reason = textIn(draft);
  return {
    code: row.code,
    message: reason === '' ? row.text : reason,
    type: row.type,
    ...(state === 'REJECTED' && { details: { a2a_state: 'TASK_STATE_REJECTED' } }),
  };
}

function textIn(draft: MessageDraft | undefined): string {
  const texts = (draft?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return cut(texts.join('\n'), MAX_REASON_LENGTH);
}

/** A Task is a snapshot: only what the log does not have yet becomes a move, the state last. */
function interpretTask(body: JsonObject, record: A2aRecord, seen: Seen): Move[] {
  const artifacts = Array.isArray(body['artifacts']) ? body['artifacts'].filter(isObject) : [];
  const found = decodeState(rawState(body) ?? '');
  const isOver = found.known && isTerminal(statusOf(found.word));
  return [
    ...bindMoves(textOf(body['id']), textOf(body['contextId']), seen),
    ...metadataMoves(body),
    ...historyMoves(body, seen),
    ...artifacts.flatMap((artifact) => reconcileArtifact(artifact, isOver, seen)),
    ...snapshotState(body, record, seen),
  ];
}

/**
 * What the agent said while nobody listened. A message without id cannot be distinguished from one that is in the log, so it is
 * left out; the one of the status is said with the status.
 */
function historyMoves(body: JsonObject, seen: Seen): Move[] {
  const history = Array.isArray(body['history']) ? body['history'].filter(isObject) : [];
  const said = new Set<string | undefined>([undefined, statusMessageId(body)]);
  return history.flatMap((message): Move[] => {
    const id = messageId(message);
    if (id === undefined || said.has(id) || isUserMessage(message) || seen.hasMessage(id)) return [];
    said.add(id);
    return [{ type: 'message', message: draftOf(message) }];
  });
}

function statusMessage(body: JsonObject): JsonObject | undefined {
  const status = body['status'];
  return isObject(status) && isObject(status['message']) ? status['message'] : undefined;
}

function statusMessageId(body: JsonObject): string | undefined {
  const message = statusMessage(body);
  return message === undefined ? undefined : messageId(message);
}

/**
 * The state of a snapshot. One that stood before the message of the turn says nothing new. A message of an unchanged state has
 * mostly been heard; only an id proves that it is new.
 */
function snapshotState(body: JsonObject, record: A2aRecord, seen: Seen): Move[] {
  if (record.stood === true) return [];
  const id = statusMessageId(body);
  const moves = stateMoves(body, isFinalContext(record, seen), seen);
  const isKnown = id === undefined || seen.hasMessage(id);
  return isKnown ? moves.filter((move) => move.type !== 'message' && !isRepeat(move)) : moves;
}

function isRepeat(move: Move): boolean {
  return move.type === 'note' && move.note === 'repeated_message';
}
