import type { A2aErrorName } from '../../../mappings/a2a/errors.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Frame } from '../../../src/upstream.ts';
import { Fault } from './fault.ts';
import { encodeMessage, sentBeside } from './outbound-message.ts';
import type { AgentError, Reading } from './record.ts';
import { referencesOf } from './references.ts';
import { isHttpRefusal, refused } from './refusal.ts';
import type { Beside } from './requests.ts';
import type { TurnRun } from './turn-run.ts';

/** Sends the message of a turn: streaming where the agent can, else blocking. */
export async function* sendMessage(run: TurnRun): AsyncGenerator<Frame> {
  if (run.canStream && (yield* deliver(run, 'SendStreamingMessage')) === 'delivered') return;
  yield* deliver(run, 'SendMessage');
}

type Delivery = 'delivered' | 'cannot_stream';

async function* deliver(
  run: TurnRun,
  operation: 'SendMessage' | 'SendStreamingMessage',
): AsyncGenerator<Frame, Delivery> {
  const isStream = operation === 'SendStreamingMessage';
  let isFirst = true;
  try {
    for await (const { record, reading } of run.ask({ operation, ...messageOf(run) })) {
      if (isFirst && isStream && cannotStream(reading)) return 'cannot_stream';
      const isRefused = isFirst && reading.kind === 'error';
      // Only now it is plain that streaming was refused, and not this message.
      if (isFirst && !isRefused && !isStream && run.canStream) run.ports.streamless.add(run.target);
      isFirst = false;
      if (isRefused && (yield* refused(run, { record, reading }))) return 'delivered';
      yield run.take(record, reading);
      if (run.progress.isSettled) return 'delivered';
    }
  } catch (error) {
    if (isFirst && isStream && isStreamless(error)) return 'cannot_stream';
    if (isFirst && isHttpRefusal(error) && (yield* refused(run, { fault: error, operation })))
      return 'delivered';
    if (isFirst && isCredentialRefused(error)) throw untaken(error);
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

function cannotStream(reading: Reading): boolean {
  return reading.kind === 'error' && saysUnsupported(reading.error);
}

export function saysUnsupported({ name }: AgentError): boolean {
  return STREAMLESS_ERRORS.includes(name);
}

function isStreamless(error: unknown): boolean {
  return error instanceof Fault && STREAMLESS_STATUSES.includes(error.details['http_status']);
}
