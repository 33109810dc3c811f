import type { Transaction } from '../eventlog/event-log.ts';
import { stateKey } from '../projections/state-keys.ts';
import type { SessionFold } from '../projections/states.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { Message, MessageInput, Part } from '../protocol/resources/message.ts';
import { inputKey } from '../store/keys.ts';
import type { DecisionTools } from './facts.ts';
import { externalizeLargeParts } from './large-content.ts';
import { withBoundedMetadata } from './large-metadata.ts';
import { newEvent, type SessionPlace } from './new-event.ts';

/** A Message for the log; `sealed` when its original is kept encrypted until it is sent. */
export interface BuiltMessage {
  message: Message;
  sealed: boolean;
  /** Commits to what the caller sent, when something was replaced in it. */
  redactionProof?: string;
}

export interface MessageOrigin {
  place: SessionPlace;
  /** Waits for the next task input. */
  pending?: boolean;
  upstreamId?: string;
  material?: string;
  /** Said together with a move of the task, whose event is appended next. */
  moveFollows?: boolean;
}

/**
 * Builds a Message from what a caller or an agent sent: large parts become Artifacts, secrets are replaced, and when
 * something was replaced in a message that still has to be sent, the original is kept encrypted until then.
 */
export function buildMessage(
  tx: Transaction,
  tools: DecisionTools,
  given: MessageInput,
  place: SessionPlace,
  from: 'caller' | 'agent' = 'caller',
): BuiltMessage {
  const input = from === 'agent' ? boundedMessage(tx, tools, given, place) : given;
  const id = tools.newId('message');
  const parts = externalizeLargeParts(tx, tools, place, input.parts as Part[]);
  const original = { parts, metadata: input.metadata ?? {} } as unknown as JsonValue;
  const { value, hit } = tools.redact(original);
  const sealed = hit && from === 'caller';
  if (sealed) keepOriginal(tx, tools, id, parts, input.metadata ?? {});
  const clean = value as unknown as { parts: Part[]; metadata: JsonObject };
  const message: Message = {
    id,
    object: 'message',
    created_at: tx.time,
    updated_at: tx.time,
    metadata: clean.metadata,
    workspace_id: place.workspace_id,
    session_id: place.session_id,
    task_id: place.task_id ?? null,
    role: input.role,
    parts: clean.parts,
  };
  return sealed
    ? { message, sealed, redactionProof: tools.proveRedaction(id, original) }
    : { message, sealed };
}

/** Metadata of an agent's Message, and of its parts, is moved out where it is large; a caller's was refused. */
function boundedMessage(
  tx: Transaction,
  tools: DecisionTools,
  input: MessageInput,
  place: SessionPlace,
): MessageInput {
  const parts = input.parts.map((part) => withBoundedMetadata(tx, tools, place, part));
  return { ...withBoundedMetadata(tx, tools, place, input), parts };
}

/** Appends the events of a Message to its Session, in transcript order. */
export function appendMessage(
  tx: Transaction,
  { message, sealed, redactionProof }: BuiltMessage,
  origin: MessageOrigin,
): void {
  const { place } = origin;
  const session = tx.get<SessionFold>(stateKey.session(place.session_id));
  const resource = { object: 'message', id: message.id };
  const agent = message.role === 'agent' || message.role === 'assistant';
  const mark = sealed ? { sealed } : {};
  const proof = redactionProof === undefined ? {} : { redaction_proof: redactionProof };
  if (message.role === 'user')
    tx.append(newEvent('user.message', resource, place, { message, ...mark, ...proof }));
  if (agent) tx.append(newEvent('agent.message', resource, place, { message, ...mark, ...sourceOf(origin) }));
  tx.append(
    newEvent('session.message_appended', { object: 'session', id: place.session_id }, place, {
      message_id: message.id,
      role: message.role,
      position: session?.internal.messages ?? 0,
      pending: origin.pending ?? false,
      ...(message.role === 'user' || agent ? {} : { message, ...mark }),
    }),
  );
}

function sourceOf(origin: MessageOrigin): JsonObject {
  return {
    ...(origin.upstreamId === undefined ? {} : { upstream_message_id: origin.upstreamId }),
    ...(origin.material === undefined ? {} : { material: origin.material }),
    ...(origin.moveFollows === true ? { move_follows: true } : {}),
  };
}

function keepOriginal(
  tx: Transaction,
  tools: DecisionTools,
  messageId: string,
  parts: Part[],
  metadata: JsonObject,
): void {
  tx.record(inputKey(messageId), tools.sealInput(Buffer.from(JSON.stringify({ parts, metadata }))));
}
