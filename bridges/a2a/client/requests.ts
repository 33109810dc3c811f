import type { JsonObject } from '#protocol/json.ts';
import type { Frame, OutboundMessage } from '#upstream.ts';
import type { A2aErrorName } from '../../../mappings/a2a/errors.ts';
import { isObject } from '../../../mappings/a2a/events.ts';
import { HARN_EXTENSION } from '../../../mappings/a2a/extension.ts';
import type { A2aProtocol } from '../../../mappings/a2a/operations.ts';
import { encodePart, type PartDialect } from '../../../mappings/a2a/parts-out.ts';
import { ROLES_V1, ROLES_V03 } from '../../../mappings/a2a/roles.ts';
import type { Beside } from './connection.ts';
import { Fault } from './faults.ts';
import type { AgentError, Reading } from './record.ts';
import { referencesOf } from './references.ts';
import { isHttpRefusal, refused } from './refusal.ts';
import type { TurnRun } from './turn-run.ts';

/**
 * Sends the message of a turn: streaming where the agent can, else so that it is answered at once. It is sent a second time only
 * where the first one provably did not reach who executes it.
 */
export async function* sendMessage(run: TurnRun): AsyncGenerator<Frame> {
  const { kind, taskId } = run.turn;
  const isStreamed = run.canStream && (kind === 'start' || run.ports.learned.mayStreamAnswer(taskId));
  const streamed = isStreamed ? yield* deliver(run, 'SendStreamingMessage') : undefined;
  if (streamed === 'delivered' || streamed === 'refused') return;
  const sent = yield* deliver(run, 'SendMessage');
  // Only now it is plain that streaming was refused, and not this message.
  if (sent === 'delivered' && streamed !== undefined && kind === 'start')
    run.ports.learned.refused(run.target, streamed.cannotStream);
}

/** `refused`: the agent did not want the message; that was noted, or ends the task. */
type Delivery = 'delivered' | 'refused' | { cannotStream: string };

async function* deliver(
  run: TurnRun,
  operation: 'SendMessage' | 'SendStreamingMessage',
): AsyncGenerator<Frame, Delivery> {
  const isStream = operation === 'SendStreamingMessage';
  let isFirst = true;
  try {
    for await (const { record, reading } of run.ask({ operation, ...messageOf(run) })) {
      const isRefused = isFirst && reading.kind === 'error';
      if (isRefused && isStream) {
        const cannotStream = await whyStreamless(run, reading);
        if (cannotStream !== undefined) return { cannotStream };
        if (run.turn.kind === 'continue' && reading.error.name === 'UnsupportedOperation')
          run.ports.learned.answerRefused(run.turn.taskId);
      }
      isFirst = false;
      if (isRefused && (yield* refused(run, { record, reading }))) return 'refused';
      yield run.take(record, reading);
      if (isRefused) return 'refused';
      if (run.progress.isSettled) return 'delivered';
    }
    // The agent has said all it had to say to the message.
    if (isStream) run.progress.takeAsAnswer();
  } catch (error) {
    if (isFirst && isStream && isStreamless(error)) return { cannotStream: error.message };
    if (isFirst && isHttpRefusal(error) && (yield* refused(run, { fault: error, operation })))
      return 'refused';
    if (isFirst && isCredentialRefused(error)) throw untaken(error);
    if (run.waitsOn(error)) return 'delivered';
    // A refused connection delivered nothing; a lost one may have, and the agent knows the task.
    const isRecoverable = error instanceof Fault && error.details['reason'] === 'lost';
    if (!isRecoverable || run.progress.taskId === undefined) throw error;
  }
  return 'delivered';
}

function isCredentialRefused(error: unknown): error is Fault {
  return error instanceof Fault && error.code === 'auth_required';
}

/** The message itself was refused, and not a question about the task. */
function untaken({ code, message, details }: Fault): Fault {
  return new Fault(code, message, { ...details, untaken: true });
}

function messageOf(run: TurnRun): { message: JsonObject; beside: Beside } {
  const { message, kind, sessionMetadata } = run.turn;
  if (message === undefined) throw new Fault('rejected', 'The turn has no message to send.');
  const taskId = kind === 'continue' ? run.progress.taskId : undefined;
  const { contextId } = run.progress;
  const referenceTaskIds = referencesOf(run.turn, message, contextId === undefined);
  const links = { taskId, contextId, referenceTaskIds };
  const { protocol, dialect } = run.target;
  const beside = sentBeside(message, sessionMetadata);
  return { message: encodeMessage(message, links, protocol, dialect), beside };
}

const STREAMLESS_ERRORS: readonly (A2aErrorName | undefined)[] = ['UnsupportedOperation', 'MethodNotFound'];
const STREAMLESS_STATUSES: readonly unknown[] = [404, 405, 406, 415, 501];

/**
 * Why the message did not reach who executes it: streaming as such was refused. Undefined when that is not proved. An agent
 * whose executor has begun may answer UnsupportedOperation too, so that one counts only when the agent says it of every stream.
 * Source: A2A 1.0, 3.3.4.
 */
async function whyStreamless(run: TurnRun, { error }: Extract<Reading, { kind: 'error' }>) {
  const said = `${error.name}: ${error.message}`;
  if (error.name === 'MethodNotFound') return said;
  if (error.name !== 'UnsupportedOperation' || run.turn.kind !== 'start') return undefined;
  return (await refusesEveryStream(run)) ? said : undefined;
}

/** Asks for the stream of a task that cannot be: who streams at all says that there is none. Source: A2A 1.0, 3.1.6. */
async function refusesEveryStream(run: TurnRun): Promise<boolean> {
  try {
    const taskId = `no-task-${run.turn.message?.id ?? ''}`;
    for await (const { reading } of run.ask({ operation: 'SubscribeToTask', taskId }))
      return reading.kind === 'error' && reading.error.name === 'UnsupportedOperation';
  } catch (error) {
    if (run.signal.aborted) throw error;
    // Whatever keeps the agent from answering that, it does not prove anything.
  }
  return false;
}

export function saysUnsupported({ name }: AgentError): boolean {
  return STREAMLESS_ERRORS.includes(name);
}

function isStreamless(error: unknown): error is Fault {
  return error instanceof Fault && STREAMLESS_STATUSES.includes(error.details['http_status']);
}

/** What ties a message to earlier work of the agent. */
export interface MessageLinks {
  taskId: string | undefined;
  contextId: string | undefined;
  /** Tasks of the agent that the message refers to. */
  referenceTaskIds: readonly string[];
}

/**
 * The A2A Message of a Harn message. Its id is the one a client of A2A gave it, else ours. Only what is meant for A2A
 * (`metadata.a2a`) leaves: the rest is between the client and the gateway.
 */
export function encodeMessage(
  message: OutboundMessage,
  links: MessageLinks,
  protocol: A2aProtocol,
  dialect: PartDialect,
): JsonObject {
  const kept = keptOf(message);
  const id = typeof kept['message_id'] === 'string' ? kept['message_id'] : message.id;
  return {
    ...(protocol === 'jsonrpc-0.3' && { kind: 'message' }),
    messageId: id,
    ...(dialect === 'harn-serve' && { id }),
    role: roleWord(message.role, protocol),
    parts: message.parts.map((part) => encodePart(part, dialect, message.artifacts)),
    ...(links.contextId !== undefined && { contextId: links.contextId }),
    ...(links.taskId !== undefined && { taskId: links.taskId }),
    ...(isObject(kept['metadata']) && { metadata: kept['metadata'] }),
    ...(Array.isArray(kept['extensions']) && { extensions: kept['extensions'] }),
    ...(links.referenceTaskIds.length > 0 && { referenceTaskIds: [...links.referenceTaskIds] }),
  };
}

/**
 * What an A2A client sent beside the message, for the agent. A2A has no field for the system prompt of a Session, so every
 * request carries it in its metadata, under the URI of our extension.
 */
export function sentBeside(message: OutboundMessage, sessionMetadata: JsonObject): Beside {
  const { request, requested_extensions: extensions } = keptOf(message);
  const { metadata: sent, accepted_output_modes: modes } = isObject(request) ? request : {};
  const { system_prompt } = sessionMetadata;
  const prompt = system_prompt == null ? undefined : { [HARN_EXTENSION]: { system_prompt } };
  const metadata = isObject(sent) ? { ...prompt, ...sent } : prompt;
  return {
    ...(metadata !== undefined && { metadata }),
    ...(Array.isArray(modes) && { acceptedOutputModes: modes.map(String) }),
    ...(Array.isArray(extensions) && { extensions: extensions.map(String) }),
  };
}

function keptOf({ metadata }: OutboundMessage): JsonObject {
  return isObject(metadata['a2a']) ? metadata['a2a'] : {};
}

function roleWord(role: OutboundMessage['role'], protocol: A2aProtocol): string {
  const found = (protocol === 'jsonrpc-0.3' ? ROLES_V03 : ROLES_V1).encode(role);
  return found.known ? found.word : found.raw;
}
