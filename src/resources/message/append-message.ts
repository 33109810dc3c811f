import type { DecisionTools, Facts } from '#core/facts.ts';
import { load, notFound } from '#core/load.ts';
import { newEvent, type SessionPlace } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { type Clean, type CleanText, own, type Received, word } from '#protocol/clean.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { artifactIn } from '#resources/artifact/artifact-in.ts';
import { externalizeLargeParts, withBoundedMetadata } from '#resources/artifact/large-content.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import { inputKey } from '#store/keys.ts';
import type { Message, MessageInput, Part } from './schema.ts';

/** A Message for the log; `sealed` when its original is kept encrypted until it is sent. */
interface BuiltMessage {
  message: Clean<Message>;
  sealed: boolean;
  /** Commits to what the caller sent, when something was replaced in it. */
  redactionProof?: CleanText;
}

interface MessageOrigin {
  place: SessionPlace;
  /** Waits for the next task input. */
  pending?: boolean;
  upstreamId?: CleanText;
  material?: CleanText;
  /** Said together with a move of the task, whose event is appended next. */
  moveFollows?: boolean;
}

/**
 * Builds a Message from what a caller sent: large parts become Artifacts, and when something was replaced in a message that
 * still has to be sent, the original is kept encrypted until then.
 */
export function buildMessage(
  tx: Transaction,
  tools: DecisionTools,
  { sent, clean }: Received<MessageInput>,
  place: SessionPlace,
): BuiltMessage {
  const id = tools.newId('message');
  const parts = externalizeLargeParts(tx, tools, place, { sent: sent.parts, clean: clean.parts });
  const message = messageOf(id, tx.time, place, { ...clean, parts: parts.clean });
  const original = { parts: parts.sent, metadata: sent.metadata ?? {} };
  const isWhole = sent.metadata === clean.metadata;
  if (isWhole && parts.sent.every((part, at) => part === parts.clean[at])) return { message, sealed: false };
  keepOriginal(tx, tools, id, original);
  return {
    message,
    sealed: true,
    redactionProof: own(tools.proveRedaction(id, original as unknown as JsonValue)),
  };
}

/** The same of what an agent said, which is sent to nobody again. */
export function buildAgentMessage(
  tx: Transaction,
  tools: DecisionTools,
  said: Received<MessageInput>,
  place: SessionPlace,
): BuiltMessage {
  const { sent, clean } = boundedMessage(tx, tools, said, place);
  const id = tools.newId('message');
  const parts = externalizeLargeParts(tx, tools, place, { sent: sent.parts, clean: clean.parts });
  return { message: messageOf(id, tx.time, place, { ...clean, parts: parts.clean }), sealed: false };
}

function messageOf(
  id: CleanText,
  time: CleanText,
  place: SessionPlace,
  { role, parts, metadata = {} }: Clean<MessageInput>,
): Clean<Message> {
  return {
    id,
    object: 'message',
    created_at: time,
    updated_at: time,
    metadata,
    workspace_id: place.workspace_id,
    session_id: place.session_id,
    task_id: place.task_id ?? null,
    role,
    parts,
  };
}

/** Metadata of an agent's Message, and of its parts, is moved out where it is large; a caller's was refused. */
function boundedMessage(
  tx: Transaction,
  tools: DecisionTools,
  { sent, clean }: Received<MessageInput>,
  place: SessionPlace,
): Received<MessageInput> {
  const parts = clean.parts.map((part) => withBoundedMetadata(tx, tools, place, part));
  const content = sent.parts.map((part, at) => {
    const metadata = parts[at]?.metadata;
    return metadata === undefined ? part : { ...part, metadata };
  });
  return {
    sent: { ...sent, parts: content },
    clean: { ...withBoundedMetadata(tx, tools, place, clean), parts },
  };
}

/** Appends the events of a Message to its Session, in transcript order. */
export function appendMessage(
  tx: Transaction,
  { message, sealed, redactionProof }: BuiltMessage,
  origin: MessageOrigin,
): void {
  const { place } = origin;
  const session = tx.get<CleanSessionFold>(sessionKeys.session(place.session_id));
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
      role: word(message.role),
      position: session?.internal.messages ?? 0,
      pending: origin.pending ?? false,
      ...(message.role === 'user' || agent ? {} : { message, ...mark }),
    }),
  );
}

function sourceOf(origin: MessageOrigin) {
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
  original: { parts: Part[]; metadata: JsonObject },
): void {
  tx.record(inputKey(messageId), tools.sealInput(Buffer.from(JSON.stringify(original))));
}

/**
 * Refuses a Message that refers to an artifact the caller may not see, or of another workspace: the agent gets the bytes
 * of what a Message refers to. `path` names the Message in the request.
 */
export function refuseForeignArtifacts(
  message: MessageInput,
  path: string,
  workspaceId: string,
  reader: StateReader,
  { caller }: Pick<Facts, 'caller'>,
): void {
  message.parts.forEach((part, at) => {
    if (part.type !== 'artifact_ref' && part.type !== 'image_ref') return;
    const param = `${path}.parts[${at}].artifact_id`;
    load(reader, caller, 'artifact', part.artifact_id, param);
    if (!artifactIn(reader, workspaceId, part.artifact_id)) throw notFound('artifact', param);
  });
}
