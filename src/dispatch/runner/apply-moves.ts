import type { Transaction } from '../../eventlog/event-log.ts';
import { saidUnder } from '../../projections/said-messages.ts';
import { sessionBinding } from '../../projections/session-binding.ts';
import { stateKey } from '../../projections/state-keys.ts';
import type { MessageState, TaskState } from '../../projections/states.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Message, MessageInput, Part } from '../../protocol/resources/message.ts';
import { rulesOf } from '../../protocol/rules.ts';
import { isTerminal } from '../../protocol/task-states.ts';
import type { DraftPart, Frame, MessageDraft, Move, Seen } from '../../upstream.ts';
import { appendMessage, buildMessage } from '../append-message.ts';
import { addChunk, knownArtifact } from '../artifact-chunks.ts';
import type { DecisionTools } from '../facts.ts';
import { storeArtifact } from '../large-content.ts';
import { type MoveFacts, moveTask } from '../move-task.ts';
import { newEvent, placeOfTask } from '../new-event.ts';
import { waitsInTurn } from '../permission-request.ts';
import { applyPermission, applyPermissionClosed } from './apply-permission.ts';
import { applyTool } from './apply-tool.ts';
import { applyReasoning, applyUpdate } from './apply-words.ts';
import { boundedMove } from './bounded-move.ts';
import type { MoveTarget } from './move-target.ts';
import { saysSame } from './says-same.ts';

/** What interpretation may know, read from the transaction. */
export function seenBy(tx: Transaction, tools: Pick<DecisionTools, 'redact'>, task: TaskState): Seen {
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
      return said !== undefined && (parts === undefined || saysSame(tx, tools, said.parts, parts));
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
    const task = target.tx.get<TaskState>(stateKey.task(target.taskId));
    if (!task) return;
    if (isTerminal(task.resource.status) && !landsAfterEnd(task, move)) {
      note(target, task, 'late_result', {
        move: move.type,
        ...(move.type === 'status' ? { to: move.to } : {}),
      });
      return;
    }
    APPLY[move.type](target, task, boundedMove(target, task, move) as never);
  }
}

/** The name an agent gave a canceled task is what it can still be told by; what is said between turns has no other task. */
function landsAfterEnd({ resource }: TaskState, move: Move): boolean {
  if (move.type === 'bind') return resource.status === 'CANCELED';
  return (move.type === 'update' || move.type === 'note') && move.betweenTurns === true;
}

type Apply<Kind extends Move['type']> = (
  target: MoveTarget,
  task: TaskState,
  move: Extract<Move, { type: Kind }>,
) => void;

const APPLY: { readonly [Kind in Move['type']]: Apply<Kind> } = {
  bind: applyBinding,
  status: applyStatus,
  message: (target, task, move) => {
    addAgentMessage(target, task, move.message);
  },
  artifact: ({ tx, tools, material }, task, move) => {
    const parts = move.artifact.parts;
    addChunk(tx, tools, task, { ...move.artifact, parts }, material);
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
  metadata: (target, task, move) => note(target, task, 'metadata', {}, move.patch),
  note: (target, task, move) => note(target, task, move.note, move.details ?? {}),
};

/** A file of a client's machine, which is in no Workspace. */
function applyFileWritten(
  { tx }: MoveTarget,
  { resource }: TaskState,
  { file }: Extract<Move, { type: 'file_written' }>,
): void {
  const pointer = { object: 'task', id: resource.id };
  const metadata = { host: 'client' };
  tx.append(
    newEvent('vendor.harn_gateway.file_written', pointer, placeOfTask(resource), { ...file, metadata }),
  );
}

function applyBinding(
  { tx, tools, material }: MoveTarget,
  task: TaskState,
  move: Extract<Move, { type: 'bind' }>,
): void {
  const seen = seenBy(tx, tools, task);
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

function changed(before: JsonObject | undefined, now: JsonObject | undefined): JsonObject | undefined {
  return now && JSON.stringify(now) !== JSON.stringify(before) ? now : undefined;
}

function applyStatus(target: MoveTarget, task: TaskState, move: Extract<Move, { type: 'status' }>): void {
  const stays = task.resource.status === move.to;
  // An agent that waits for an answer inside its turn works again when it has it, and not before.
  const waits = move.to === 'WORKING' && waitsInTurn(target.tx, task);
  const message = move.message && told(target, task, move.message, !stays && !waits);
  if (stays) {
    if (move.metadata) note(target, task, 'status_repeated', {}, move.metadata);
    return;
  }
  if (waits) {
    note(target, task, 'still_waiting', {}, move.metadata);
    return;
  }
  const facts: MoveFacts = { material: target.material };
  if (message) facts.messageId = message.id;
  if (move.failure) facts.failure = move.failure;
  if (move.metadata) facts.metadata = move.metadata;
  const moved = moveTask(target.tx, target.tools, target.taskId, move.to, facts);
  if (!moved) note(target, task, 'impossible_status', { from: task.resource.status, to: move.to });
}

/** What the agent said with a status: a new message, or one that it said before. */
function told(
  target: MoveTarget,
  task: TaskState,
  draft: MessageDraft,
  moveFollows: boolean,
): Message | undefined {
  const { upstreamId } = draft;
  return (
    addAgentMessage(target, task, draft, moveFollows) ??
    (upstreamId === undefined ? undefined : saidBefore(target.tx, task, upstreamId))
  );
}

/** The newest message of an upstream id. */
function saidBefore(tx: Transaction, task: TaskState, upstreamId: string): Message | undefined {
  const known = saidUnder(tx, task, upstreamId);
  return known === undefined ? undefined : tx.get<MessageState>(stateKey.message(known))?.resource;
}

/** Appends what the agent said; under an id that it used before only when it says something else now. */
function addAgentMessage(
  target: MoveTarget,
  task: TaskState,
  draft: MessageDraft,
  moveFollows = false,
): Message | undefined {
  const { tx, tools, material } = target;
  const { upstreamId } = draft;
  if (upstreamId !== undefined && seenBy(tx, tools, task).hasMessage(upstreamId, draft.parts))
    return undefined;
  const place = placeOfTask(task.resource);
  const input: MessageInput = {
    role: draft.role === 'user' ? 'agent' : draft.role,
    parts: draft.parts.map((part) => storeBytes(target, place, part)),
    metadata: {
      ...draft.metadata,
      ...(upstreamId === undefined ? {} : { upstream_message_id: upstreamId }),
    },
  };
  if (input.parts.length === 0) return undefined;
  const built = buildMessage(tx, tools, input, place, 'agent');
  appendMessage(tx, built, {
    place,
    material,
    moveFollows,
    ...(upstreamId === undefined ? {} : { upstreamId }),
  });
  return built.message;
}

/** Bytes inside a message become an Artifact and a reference (contract C27). */
function storeBytes(
  { tx, tools }: MoveTarget,
  place: Parameters<typeof storeArtifact>[2],
  part: DraftPart,
): Part {
  if (part.type !== 'bytes') return part;
  const bytes = Buffer.from(part.base64, 'base64');
  const artifact = storeArtifact(tx, tools, place, bytes, part.mime_type, 'public', part.name ?? null);
  const metadata = part.metadata ? { metadata: part.metadata } : {};
  if (!part.mime_type.startsWith('image/')) {
    return { type: 'artifact_ref', artifact_id: artifact.id, visibility: 'public', ...metadata };
  }
  return {
    type: 'image_ref',
    artifact_id: artifact.id,
    mime_type: part.mime_type,
    visibility: 'public',
    ...metadata,
  };
}

function applyUsage(
  { tx, material }: MoveTarget,
  { resource }: TaskState,
  { usage }: Extract<Move, { type: 'usage' }>,
): void {
  const pointer = { object: 'task', id: resource.id };
  const payload = { note: 'usage', material, usage };
  tx.append(newEvent('vendor.harn_gateway.upstream_note', pointer, placeOfTask(resource), payload));
}

/** A peer that cannot cancel does not fail the task: that it could not is noted. */
export function noteCancelFault(
  target: Pick<MoveTarget, 'tx' | 'material'>,
  task: TaskState,
  { code, message }: Extract<Frame, { kind: 'fault' }>,
): void {
  note(target, task, 'cancel_not_confirmed', { code, message });
}

/** Keeps a diagnostic that moves nothing; `metadata` is merged into the Task. */
function note(
  { tx, material }: Pick<MoveTarget, 'tx' | 'material'>,
  { resource }: TaskState,
  name: string,
  details: JsonObject,
  metadata?: JsonObject,
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
