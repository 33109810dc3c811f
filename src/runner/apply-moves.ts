import type { DecisionTools, MoveTarget } from '#core/facts.ts';
import { newEvent, placeOfTask, type SessionPlace } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { jsonSize } from '#json/large-json.ts';
import {
  type Clean,
  type CleanObject,
  type CleanText,
  pieceOf,
  type Received,
  word,
} from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import { rulesOf } from '#protocol/rules.ts';
import { type Failure, isBlocked, isTerminal } from '#protocol/task-states.ts';
import type { DraftPart, Frame, MessageDraft, Move, Seen } from '#protocol-client.ts';
import { addChunk, knownArtifact } from '#resources/artifact/chunks.ts';
import {
  boundedMetadata,
  movedMetadata,
  storeArtifact,
  withBoundedMetadata,
} from '#resources/artifact/large-content.ts';
import { appendMessage, buildAgentMessage } from '#resources/message/append-message.ts';
import { saidUnder } from '#resources/message/fold.ts';
import type { Message, Part } from '#resources/message/schema.ts';
import { type CleanMessageState, messageKeys } from '#resources/message/state.ts';
import { answerToDraft, resolutionByRule } from '#resources/permission/answer-by-rule.ts';
import type { PermissionDraft, RememberedAnswer } from '#resources/permission/draft.ts';
import {
  openRequest,
  openRequestsOf,
  resolveRequest,
  waitsInTurn,
} from '#resources/permission/permission-request.ts';
import { REMEMBERED } from '#resources/permission/remembered-permission.ts';
import {
  type CleanPermissionRequestState,
  type CleanUpstreamRequestState,
  permissionKeys,
} from '#resources/permission/state.ts';
import { isBeyondCeiling } from '#resources/permission-rule/cost-ceiling.ts';
import type { RuleAnswer } from '#resources/permission-rule/schema.ts';
import { sessionBinding } from '#resources/session/fold.ts';
import { mergeMetadata } from '#resources/task/fold.ts';
import { type MoveFacts, moveTask } from '#resources/task/move-task.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { applyTool } from './apply-tool.ts';
import { applyReasoning, applyUpdate, saysSame } from './apply-words.ts';

/** What interpretation may know, read from the transaction. */
export function seenBy(tx: Transaction, clean: DecisionTools['redact'], task: CleanTaskState): Seen {
  const { resource, internal } = task;
  return {
    rules: rulesOf(internal.rules),
    status: resource.status,
    binding: internal.binding ?? undefined,
    // Read on demand: most frames of a stream do not ask.
    get sessionBinding() {
      return sessionBinding(tx, resource.session_id, internal.route);
    },
    hasMessage: (upstreamId, parts) => {
      const said = saidBefore(tx, task, upstreamId);
      return said !== undefined && (parts === undefined || saysSame(tx, clean, said.parts, parts));
    },
    artifactParts: (upstreamId) => {
      const state = knownArtifact(tx, resource.id, upstreamId);
      return state && state.internal.pieces - state.internal.first_piece;
    },
  };
}

/** Applies the moves of one frame in order. After a terminal state nothing lands; it is noted as a late result. */
export function applyMoves(target: MoveTarget, moves: readonly Move[]): void {
  for (const move of moves) {
    const task = target.tx.get<CleanTaskState>(taskKeys.task(target.taskId));
    if (!task) return;
    if (isTerminal(task.resource.status) && !landsAfterEnd(task, move)) {
      note(target, task, word('late_result'), {
        move: word(move.type),
        ...(move.type === 'status' ? { to: word(move.to) } : {}),
      });
      return;
    }
    const clean = boundedMove(target, task, target.clean(move).value);
    APPLY[move.type](target, task, clean as never, move as never);
  }
}

/** The name an agent gave a canceled task is what a cancel can still name; what is said between turns has no other task. */
function landsAfterEnd({ resource }: CleanTaskState, move: Move): boolean {
  if (move.type === 'bind') return resource.status === 'CANCELED';
  return (move.type === 'update' || move.type === 'note') && move.betweenTurns === true;
}

type MoveOf<Kind extends Move['type']> = Extract<Move, { type: Kind }>;

/** `given`: the move as the agent means it, for content that is never rewritten: bytes, and what is too large for an event. */
type Apply<Kind extends Move['type']> = (
  target: MoveTarget,
  task: CleanTaskState,
  move: Clean<MoveOf<Kind>>,
  given: MoveOf<Kind>,
) => void;

const APPLY: { readonly [Kind in Move['type']]: Apply<Kind> } = {
  bind: applyBinding,
  status: applyStatus,
  message: (target, task, move, given) => {
    addAgentMessage(target, task, { sent: given.message, clean: move.message });
  },
  artifact: (target, task, move, given) => {
    addChunk(target, task, { sent: given.artifact, clean: move.artifact });
  },
  permission: applyPermission,
  permission_closed: applyPermissionClosed,
  tool: applyTool,
  policy: ({ tx }, { resource }, { decided }) => {
    const pointer = { object: 'task', id: resource.id };
    tx.append(newEvent('vendor.harn_gateway.policy_decided', pointer, placeOfTask(resource), decided));
  },
  file_written: applyFileWritten,
  reasoning: applyReasoning,
  update: applyUpdate,
  usage: applyUsage,
  metadata: (target, task, move) => note(target, task, word('metadata'), {}, move.patch),
  note: (target, task, move) => note(target, task, move.note, move.details ?? {}),
};

/** A file of a client's machine, which is in no Workspace. */
function applyFileWritten(
  { tx }: MoveTarget,
  { resource }: CleanTaskState,
  { file }: Clean<MoveOf<'file_written'>>,
): void {
  const pointer = { object: 'task', id: resource.id };
  const metadata = { host: word('client') };
  tx.append(
    newEvent('vendor.harn_gateway.file_written', pointer, placeOfTask(resource), { ...file, metadata }),
  );
}

function applyBinding(
  { tx, material, clean }: MoveTarget,
  task: CleanTaskState,
  move: Clean<MoveOf<'bind'>>,
): void {
  const seen = seenBy(tx, clean, task);
  const binding = changed(seen.binding, move.binding);
  const session = changed(seen.sessionBinding, move.sessionBinding);
  if (!binding && !session) return;
  const { resource, internal } = task;
  tx.append(
    newEvent(
      'vendor.harn_gateway.upstream_bound',
      { object: 'task', id: resource.id },
      placeOfTask(resource),
      {
        route: internal.route,
        binding: binding ?? null,
        session_binding: session ?? null,
        material,
      },
    ),
  );
}

function changed(before: JsonObject | undefined, now: CleanObject | undefined): CleanObject | undefined {
  return now && JSON.stringify(now) !== JSON.stringify(before) ? now : undefined;
}

function applyStatus(
  target: MoveTarget,
  task: CleanTaskState,
  move: Clean<MoveOf<'status'>>,
  given: MoveOf<'status'>,
): void {
  const stays = task.resource.status === move.to;
  // An agent that waits for an answer inside its turn works again when it has it, and not before.
  const waits = move.to === 'WORKING' && waitsInTurn(target.tx, task);
  const said = given.message && move.message && { sent: given.message, clean: move.message };
  const message = said && messageSaid(target, task, said, !stays && !waits);
  if (stays) {
    if (move.metadata) note(target, task, word('status_repeated'), {}, move.metadata);
    return;
  }
  if (waits) {
    note(target, task, word('still_waiting'), {}, move.metadata);
    return;
  }
  const facts: MoveFacts = { material: target.material };
  if (message) facts.messageId = message.id;
  if (move.failure) facts.failure = move.failure;
  if (move.metadata) facts.metadata = move.metadata;
  const moved = moveTask(target.tx, target.tools, target.taskId, move.to, facts);
  const from = word(task.resource.status);
  if (!moved) note(target, task, word('impossible_status'), { from, to: word(move.to) });
}

/** What the agent said with a status: a new message, or one that it said before. */
function messageSaid(
  target: MoveTarget,
  task: CleanTaskState,
  draft: Received<MessageDraft>,
  moveFollows: boolean,
): Clean<Message> | undefined {
  const { upstreamId } = draft.sent;
  return (
    addAgentMessage(target, task, draft, moveFollows) ??
    (upstreamId === undefined ? undefined : saidBefore(target.tx, task, upstreamId))
  );
}

/** The newest message of an id of the peer. */
function saidBefore(tx: Transaction, task: CleanTaskState, upstreamId: string): Clean<Message> | undefined {
  const known = saidUnder(tx, task, upstreamId);
  return known === undefined ? undefined : tx.get<CleanMessageState>(messageKeys.message(known))?.resource;
}

/** Appends what the agent said; under an id that it used before only when it says something else now. */
function addAgentMessage(
  target: MoveTarget,
  task: CleanTaskState,
  { sent, clean }: Received<MessageDraft>,
  moveFollows = false,
): Clean<Message> | undefined {
  const { tx, tools, material } = target;
  const known = sent.upstreamId;
  const before = known === undefined ? undefined : saidBefore(tx, task, known);
  if (before !== undefined && saysSame(tx, target.clean, before.parts, sent.parts)) return undefined;
  const place = placeOfTask(task.resource);
  const parts = withStoredBytes(target, place, { sent: sent.parts, clean: clean.parts });
  if (parts.clean.length === 0) return undefined;
  const { upstreamId } = clean;
  const role = clean.role === 'user' ? 'agent' : clean.role;
  const metadata = {
    ...clean.metadata,
    ...(upstreamId === undefined ? {} : { upstream_message_id: upstreamId }),
  };
  const said = { sent: { role, parts: parts.sent }, clean: { role, parts: parts.clean, metadata } };
  const built = buildAgentMessage(tx, tools, said, place);
  appendMessage(tx, built, {
    place,
    material,
    moveFollows,
    ...(upstreamId === undefined ? {} : { upstreamId }),
  });
  return built.message;
}

/** The parts of a message with references where it has bytes. */
function withStoredBytes(
  target: MoveTarget,
  place: SessionPlace,
  parts: Received<DraftPart[]>,
): Received<Part[]> {
  const stored: Received<Part[]> = { sent: [], clean: [] };
  for (const [at, clean] of parts.clean.entries()) {
    const sent = parts.sent[at];
    if (clean.type === 'bytes' && sent?.type === 'bytes') {
      const reference = storeBytes(target, place, sent.base64, clean);
      stored.sent.push(reference);
      stored.clean.push(reference);
    } else if (clean.type !== 'bytes' && sent !== undefined && sent.type !== 'bytes') {
      stored.sent.push(sent);
      stored.clean.push(clean);
    }
  }
  return stored;
}

/** Bytes inside a message become an Artifact and a reference. */
function storeBytes(
  { tx, tools }: MoveTarget,
  place: SessionPlace,
  base64: string,
  { mime_type, name, metadata: about }: Clean<Extract<DraftPart, { type: 'bytes' }>>,
): Clean<Part> {
  const bytes = Buffer.from(base64, 'base64');
  const artifact = storeArtifact(tx, tools, place, bytes, mime_type, 'public', name ?? null);
  const metadata = about ? { metadata: about } : {};
  if (!mime_type.startsWith('image/')) {
    return { type: 'artifact_ref', artifact_id: artifact.id, visibility: 'public', ...metadata };
  }
  return { type: 'image_ref', artifact_id: artifact.id, mime_type, visibility: 'public', ...metadata };
}

function applyUsage(
  { tx, tools, material }: MoveTarget,
  { resource }: CleanTaskState,
  { usage }: Clean<MoveOf<'usage'>>,
): void {
  const pointer = { object: 'task', id: resource.id };
  const payload = { note: word('usage'), material, usage };
  tx.append(newEvent('vendor.harn_gateway.upstream_note', pointer, placeOfTask(resource), payload));
  if (usage.cost !== undefined && isBeyondCeiling(tx, resource))
    tx.afterCommit(() => tools.runs.endBeyondCeiling(resource.id));
}

/** A peer that cannot cancel does not fail the task: that it could not is noted. */
export function noteCancelFault(
  target: Pick<MoveTarget, 'tx' | 'material'>,
  task: CleanTaskState,
  { code, message }: Clean<Extract<Frame, { kind: 'fault' }>>,
): void {
  note(target, task, word('cancel_not_confirmed'), { code: word(code), message });
}

/** Keeps a diagnostic that moves nothing; `metadata` is merged into the Task. */
function note(
  { tx, material }: Pick<MoveTarget, 'tx' | 'material'>,
  { resource }: CleanTaskState,
  name: CleanText,
  details: CleanObject,
  metadata?: CleanObject,
): void {
  tx.append(
    newEvent(
      'vendor.harn_gateway.upstream_note',
      { object: 'task', id: resource.id },
      placeOfTask(resource),
      {
        note: name,
        material,
        ...(Object.keys(details).length > 0 ? { details } : {}),
        ...(metadata === undefined ? {} : { metadata }),
      },
    ),
  );
}

/** A Task holds its caller's metadata, up to one inline limit, and as much again of its agent. */
const LIMITS_OF_TASK = 2;
/** Characters of an agent's reason; its Message and its recorded frame have them all. */
const FAILURE_CHARS = 4_000;

/** A move whose metadata and details fit into events and folds; what is larger is in an Artifact. */
export function boundedMove(target: MoveTarget, task: CleanTaskState, move: Clean<Move>): Clean<Move> {
  const { tx, tools } = target;
  const place = placeOfTask(task.resource);
  switch (move.type) {
    case 'metadata':
      return { ...move, patch: boundedPatch(target, task, move.patch) };
    case 'note':
      return move.details ? { ...move, details: boundedMetadata(tx, tools, place, move.details) } : move;
    case 'status': {
      const patched = move.metadata ? { metadata: boundedPatch(target, task, move.metadata) } : {};
      return { ...move, ...patched, ...boundedFailure(target, task, move.failure) };
    }
    case 'permission':
      return { ...move, permission: withBoundedMetadata(tx, tools, place, move.permission) };
    case 'bind':
    case 'message':
    case 'artifact':
    case 'permission_closed':
    case 'tool':
    case 'file_written':
    case 'policy':
    case 'reasoning':
    case 'update':
    case 'usage':
      return move;
  }
}

/** Many small patches may not grow the Task without end either. */
function boundedPatch(
  { tx, tools }: MoveTarget,
  { resource }: CleanTaskState,
  patch: CleanObject,
): CleanObject {
  const { inlineBytes } = tools.limits;
  const most = LIMITS_OF_TASK * inlineBytes;
  const fits =
    jsonSize(patch, inlineBytes) <= inlineBytes &&
    jsonSize(mergeMetadata(resource.metadata, patch), most) <= most;
  return fits ? patch : movedMetadata(tx, tools, placeOfTask(resource), patch);
}

function boundedFailure(
  { tx, tools }: MoveTarget,
  { resource }: CleanTaskState,
  failure: Clean<Failure> | undefined,
): { failure?: Clean<Failure> } {
  if (failure === undefined) return {};
  const message = pieceOf(failure.message, 0, FAILURE_CHARS);
  const { details } = failure;
  if (details === undefined) return { failure: { ...failure, message } };
  return {
    failure: { ...failure, message, details: boundedMetadata(tx, tools, placeOfTask(resource), details) },
  };
}

/** Opens what the agent asks, once per request id of the agent; the first open one blocks the task. */
function applyPermission(
  { tx, tools, taskId, material, clean }: MoveTarget,
  task: CleanTaskState,
  { permission }: Clean<Extract<Move, { type: 'permission' }>>,
  given: Extract<Move, { type: 'permission' }>,
): void {
  const { upstreamId, kind } = permission;
  if (upstreamId !== undefined && tx.get(permissionKeys.upstreamRequest(taskId, upstreamId))) return;
  // Before what is too large for an event was taken out of it.
  const asked = () => clean(given).value.permission;
  const answer = upstreamId === undefined ? undefined : answerOf(tx, tools, task, upstreamId, asked);
  if (permission.remembered !== undefined) {
    applyRemembered({ tx, tools, material }, task, permission, permission.remembered);
  } else if (answer !== undefined) {
    applyAnswer({ tx, tools, material }, task, { ...permission, answeredBy: answer });
  } else if (isBlocked(task.resource.status)) {
    openRequest(tx, tools, task, permission, { material });
  } else {
    const to = kind === 'elicitation' ? 'INPUT_REQUIRED' : 'AUTH_REQUIRED';
    moveTask(tx, tools, taskId, to, { material, permission });
  }
}

/** A question with a remembered answer is recorded like any other, and does not block the task. */
function applyRemembered(
  { tx, tools, material }: Pick<MoveTarget, 'tx' | 'tools' | 'material'>,
  task: CleanTaskState,
  permission: Clean<PermissionDraft>,
  { approved }: RememberedAnswer,
): void {
  const id = openRequest(tx, tools, task, permission, { material });
  const request = tx.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(id));
  if (request) resolveRequest(tx, tools, task, request, { approved, reason: REMEMBERED });
}

/** What a rule answers an agent that waits inside its turn; in a replay what one answered then. */
function answerOf(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
  upstreamId: string,
  asked: () => PermissionDraft,
): Clean<RuleAnswer> | undefined {
  const { recordedAnswers } = tools;
  if (recordedAnswers === undefined) return answerToDraft(tx, tools, task, asked());
  return recordedAnswers(upstreamId);
}

/**
 * A question that a rule answers is recorded like any other, and does not block the task. The agent gets the answer once it is
 * durable.
 */
function applyAnswer(
  { tx, tools, material }: Pick<MoveTarget, 'tx' | 'tools' | 'material'>,
  task: CleanTaskState,
  draft: Clean<PermissionDraft> & { answeredBy: Clean<RuleAnswer> },
): void {
  const { id: taskId } = task.resource;
  const id = openRequest(tx, tools, task, draft, { material });
  const request = tx.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(id));
  const { upstreamId } = draft;
  if (request === undefined || upstreamId === undefined) return;
  const resolution = resolutionByRule(request.resource.request, draft.answeredBy);
  resolveRequest(tx, tools, task, request, resolution);
  const { approved, optionId = null, reason = null, answer } = resolution;
  const told = { upstreamId, approved, optionId, reason, ...(answer === undefined ? {} : { answer }) };
  tx.afterCommit(() => tools.runs.answer(taskId, told));
}

/** Resolves what the agent no longer waits for; the last open one lets the task work again. */
function applyPermissionClosed(
  { tx, tools, taskId, material }: MoveTarget,
  task: CleanTaskState,
  { upstreamId, approved, reason }: Clean<Extract<Move, { type: 'permission_closed' }>>,
): void {
  const known = tx.get<CleanUpstreamRequestState>(permissionKeys.upstreamRequest(taskId, upstreamId));
  const request =
    known && tx.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(known.request_id));
  if (request?.resource.status !== 'pending') return;
  resolveRequest(tx, tools, task, request, { approved, reason });
  if (openRequestsOf(tx, taskId).length === 0) moveTask(tx, tools, taskId, 'WORKING', { material });
}
