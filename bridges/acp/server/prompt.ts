import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf, textOf } from '#protocol/json-shape.ts';
import { type Failure, isTerminal } from '#protocol/task-states.ts';
import type { Artifact } from '#resources/artifact/schema.ts';
import type { Message, MessageInput, Part } from '#resources/message/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { CLIENT_METADATA } from '../../../mappings/acp/config-options.ts';
import { artifactPart, decodePrompt, type PromptBytes } from '../../../mappings/acp/content.ts';
import { storeBytes } from '../../wire/gateway-calls.ts';
import { invalidParams } from '../../wire/json-rpc.ts';
import type { RequestContext } from '../../wire/peer.ts';
import { traceOf } from '../../wire/trace-meta.ts';
import type { Conversation } from './conversation.ts';
import type { AttachedSession } from './follow.ts';
import type { ParamsOf } from './params.ts';
import { followed } from './sessions.ts';
import { promptAnswer, type TurnEnd } from './turns.ts';

type Params = ParamsOf<'session/prompt'>;

/**
 * A prompt turn is a Task, or the answer to one that asked. It is answered when the Task has ended and everything it said is
 * sent. Taking the request back cancels it; losing the connection does not.
 */
export async function prompt(
  talk: Conversation,
  params: Params,
  context: RequestContext,
): Promise<JsonValue> {
  const { sessionId } = params;
  const turn = talk.prompts.begin(sessionId);
  context.signal.addEventListener('abort', () => {
    if (!talk.connection.signal.aborted) void talk.prompts.cancelOne(turn);
  });
  try {
    const session = await followed(talk, sessionId);
    talk.calls.admit('submitSessionTask');
    talk.hosting.offer(sessionId);
    const notice = talk.hosting.notice(sessionId, talk.view.route(sessionId));
    if (notice !== undefined) session.notify(notice);
    const key = textOf(objectOf(params._meta?.['harn'])['idempotencyKey']) ?? talk.prompts.keyOf(context.id);
    talk.prompts.sent(key);
    const message = await messageOf(talk, sessionId, params.prompt, key);
    const { taskId, messageId } = await send(talk, session, message, key, traceOf(params));
    turn.taskId = taskId;
    talk.draft?.accepted(context.id, messageId);
    if (turn.isCanceled) await talk.prompts.cancelOne(turn);
    return promptAnswer(taskId, await endOf(talk, session, taskId), turn.isCanceled);
  } finally {
    talk.prompts.end(sessionId, turn);
  }
}

interface Sent {
  taskId: string;
  messageId: string;
}

/** To the Task that waits for words, else as a new Task. */
async function send(
  talk: Conversation,
  session: AttachedSession,
  message: MessageInput,
  idempotencyKey: string,
  traceparent: string | undefined,
): Promise<Sent> {
  const head = { idempotencyKey, ...(traceparent === undefined ? {} : { traceparent }) };
  const asking = session.turns.question();
  if (asking !== undefined) {
    session.turns.reopen(asking);
    const body = { kind: 'input', message: asJson(message) };
    const path = { task_id: asking };
    const { id } = await talk.calls.json<Message>('appendTaskMessage', { path, body, ...head });
    return { taskId: asking, messageId: id };
  }
  const persona = textOf(objectOf(talk.view.metadata(session.id)[CLIENT_METADATA])['persona_id']);
  const body = { input: asJson(message), ...(persona === undefined ? {} : { persona_id: persona }) };
  const path = { session_id: session.id };
  const task = await talk.calls.json<Task>('submitSessionTask', { path, body, ...head });
  return { taskId: task.id, messageId: textOf(objectOf(task.input as JsonValue)['id']) ?? task.id };
}

/** The end of a Task that had ended before the client came back is read from its resource, and sent after what it said. */
async function endOf(talk: Conversation, session: AttachedSession, taskId: string): Promise<TurnEnd> {
  const end = session.turns.endOf(taskId);
  if (end !== undefined) return end;
  const task = await talk.calls.json<Task>('getTask', { path: { task_id: taskId } });
  if (!isTerminal(task.status)) return session.turns.wait(taskId);
  const { last_event_id } = await talk.calls.json<Session>('getSession', {
    path: { session_id: session.id },
  });
  await session.caughtUpOnce;
  await session.reached(last_event_id);
  return (
    session.turns.endOf(taskId) ?? {
      kind: 'task',
      status: task.status,
      failure: task.failure as Failure | null,
    }
  );
}

async function messageOf(
  talk: Conversation,
  sessionId: string,
  blocks: readonly JsonValue[],
  key: string,
): Promise<MessageInput> {
  const parts: Part[] = [];
  for (const [at, part] of decodePrompt(blocks).entries()) {
    parts.push(part.type === 'bytes' ? await stored(talk, sessionId, part, `${key}:${at}`) : part);
  }
  if (parts.length === 0) throw invalidParams('prompt', 'says nothing.');
  return { role: 'user', parts, metadata: { acp: { prompt: key } } };
}

/** Optional members are absent, never undefined. */
function asJson(message: MessageInput): JsonObject {
  return message as unknown as JsonObject;
}

/** Under keys of their own, so that a prompt which is sent again names the same artifacts. */
async function stored(
  { calls }: Conversation,
  sessionId: string,
  bytes: PromptBytes,
  key: string,
): Promise<Part> {
  const id = await storeBytes(
    (operation, call) => calls.json<Artifact>(operation, call),
    { base64: bytes.base64, mimeType: bytes.mime_type },
    { session_id: sessionId },
    { register: `${key}:artifact`, upload: `${key}:content` },
  );
  return artifactPart(id, bytes);
}
