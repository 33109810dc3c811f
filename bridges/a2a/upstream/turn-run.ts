import type { A2aErrorName } from '../../../mappings/a2a/errors.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Frame, Turn } from '../../../src/upstream.ts';
import type { Timers } from '../../bridge.ts';
import { refuseOverlong } from './bounds.ts';
import type { Discovery } from './discovery.ts';
import { type Conversation, exchange, type Wire } from './exchange.ts';
import { Fault, faultOf } from './fault.ts';
import type { Target } from './interfaces.ts';
import { encodeMessage } from './outbound-message.ts';
import { Progress } from './progress.ts';
import { type A2aRecord, type AgentError, type Reading, readRecord, toFrameBody } from './record.ts';
import { isHttpRefusal, refused } from './refusal.ts';
import type { Ask } from './requests.ts';
import { Watchdog } from './watchdog.ts';

/** What all turns of an upstream share. */
export interface TurnPorts {
  wire: Wire;
  discovery: Discovery;
  timers: Timers;
  /** Interfaces that refused to stream although their card promises it; a new card brings new ones. */
  streamless: WeakSet<Target>;
}

/** One turn under way: where it talks, how far it is, and how frames are made. */
export class TurnRun {
  readonly ports: TurnPorts;
  readonly turn: Turn;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly target: Target;
  #watchdog: Watchdog | undefined;

  constructor(ports: TurnPorts, turn: Turn, target: Target, signal: AbortSignal) {
    this.ports = ports;
    this.turn = turn;
    this.target = target;
    this.signal = signal;
    this.progress = new Progress(turn);
  }

  get canStream(): boolean {
    return this.target.streaming && !this.ports.streamless.has(this.target);
  }

  /** Asks and yields what comes back. Throws Fault only, or the caller's reason. */
  async *ask(ask: Ask): AsyncGenerator<{ record: A2aRecord; reading: Reading }> {
    const watchdog = new Watchdog(this.signal, this.ports.timers);
    this.#watchdog = watchdog;
    const talk: Conversation = {
      target: this.target,
      watchdog,
      traceparent: this.turn.traceparent,
      isTimed: () => !this.progress.awaitsAuth,
    };
    try {
      for await (const record of exchange(ask, this.ports.wire, talk))
        yield { record, reading: readRecord(record) };
    } catch (error) {
      throw watchdog.signal.aborted ? watchdog.signal.reason : faultOf(error);
    } finally {
      watchdog.close();
    }
  }

  /**
   * The frame of a record, which the progress takes note of. After the last one the caller lets go of the turn; that
   * must not cut the connection, which is free for the next. Throws Fault for ids that cannot be kept.
   */
  take(record: A2aRecord, reading: Reading): Frame {
    refuseOverlong(reading);
    this.progress.note(reading, record.operation);
    if (this.progress.isSettled) this.#watchdog?.close();
    return { kind: 'message', body: toFrameBody(record) };
  }
}

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
    for await (const { record, reading } of run.ask({ operation, message: messageOf(run) })) {
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
    // A refused connection delivered nothing; a lost one may have, and the agent knows the task.
    const isRecoverable = error instanceof Fault && error.details['reason'] === 'lost';
    if (!isRecoverable || run.progress.taskId === undefined) throw error;
  }
  return 'delivered';
}

function messageOf(run: TurnRun): JsonObject {
  const { message, kind } = run.turn;
  if (message === undefined) throw new Fault('rejected', 'The turn has no message to send.');
  const taskId = kind === 'continue' ? run.progress.taskId : undefined;
  const links = { taskId, contextId: run.progress.contextId };
  return encodeMessage(message, links, run.target.protocol, run.target.dialect);
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
