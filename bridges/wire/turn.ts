import { ERROR_CODES } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { type Failure, isBlocked, isTerminal } from '#protocol/task-states.ts';
import type { Frame, Interpret, Move, Seen } from '#protocol-client.ts';
import type { Timers } from '../bridge.ts';
import { type Fault, timedOut } from './faults.ts';
import type { FrameQueue } from './frame-queue.ts';

/** What a bridge says of a turn that it runs. */
export interface TurnPlan {
  timers: Timers;
  /** Longest time of the whole turn, in milliseconds. Left out where its requests have limits of their own. */
  totalMs?: number;
  /** Does the turn: yields what comes, and throws where it cannot go on. `signal` aborts with a Fault after `totalMs`. */
  frames(signal: AbortSignal): AsyncIterable<Frame>;
  /** The last frame of a turn that threw. It throws again what no peer and no network does. */
  failed(error: unknown): Frame;
}

/**
 * Runs one turn, the same for all bridges: the last frame is `end`, or says what failed. When the caller's signal aborts, nobody
 * reads on, and there is none.
 */
export async function* runTurn(
  signal: AbortSignal,
  { timers, totalMs, frames, failed }: TurnPlan,
): AsyncGenerator<Frame> {
  const watchdog = new Watchdog(signal, timers);
  if (totalMs !== undefined) watchdog.watch('total', totalMs);
  try {
    yield* frames(watchdog.signal);
    yield { kind: 'end' };
  } catch (error) {
    if (!signal.aborted) yield failed(error);
  } finally {
    watchdog.close();
  }
}

/** A turn whose frames come by themselves and wait in a queue until they are read. */
export interface QueuedTurn {
  readonly frames: FrameQueue;
  /** It waits for somebody: its silence has no limit. */
  readonly isWaiting: boolean;
  /** Gives the turn up. The fault is its last frame; the queue is closed after it. */
  fail(fault: Fault): void;
}

/** The frames of a queued turn until its queue is closed. It fails when it is silent for `idleMs`, or takes `totalMs` in all. */
export async function* queuedFrames(
  turn: QueuedTurn,
  signal: AbortSignal,
  { timers, idleMs, totalMs }: { timers: Timers; idleMs: number; totalMs: number },
): AsyncGenerator<Frame> {
  const total = timers.setTimeout(() => turn.fail(timedOut('total', totalMs)), totalMs);
  const silent = () => turn.fail(timedOut('idle', idleMs));
  try {
    for (;;) {
      const patience = turn.isWaiting ? undefined : idleMs;
      const frame = await turn.frames.next(signal, timers, patience, silent);
      if (frame === undefined) return;
      yield frame;
    }
  } finally {
    timers.clearTimeout(total);
  }
}

/**
 * Ends what it guards: `signal` aborts with a Fault when a window passes, and with the caller's own reason when the
 * caller gives up. One window runs at a time; `close` must be called once.
 */
export class Watchdog {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #timers: Timers;
  readonly #outer: AbortSignal;
  #window: unknown;
  readonly #onAbort = () => this.#controller.abort(this.#outer.reason);

  constructor(outer: AbortSignal, timers: Timers) {
    this.#outer = outer;
    this.#timers = timers;
    this.signal = this.#controller.signal;
    if (outer.aborted) this.#onAbort();
    else outer.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Starts a window and ends the one before it. `timeout` names it in the Fault. */
  watch(timeout: string, ms: number): void {
    if (this.#window !== undefined) this.#timers.clearTimeout(this.#window);
    this.#window = this.#timers.setTimeout(() => this.#controller.abort(timedOut(timeout, ms)), ms);
  }

  /** Ends the window; nothing is timed until the next one. */
  rest(): void {
    if (this.#window !== undefined) this.#timers.clearTimeout(this.#window);
    this.#window = undefined;
  }

  close(): void {
    this.rest();
    this.#outer.removeEventListener('abort', this.#onAbort);
  }
}

export type FaultFrame = Extract<Frame, { kind: 'fault' }>;
type MessageFrame = Extract<Frame, { kind: 'message' }>;

/** How a bridge reads the frames of its turns. All of it is pure. */
export interface Reading<Entry> {
  /** What the peer is called in the failure of a turn that ended without a result. */
  peer: 'agent' | 'server';
  /** What was recorded in a frame; undefined when it is no record of this bridge, as an override may put anything there. */
  read(frame: MessageFrame, seen: Seen): Entry | undefined;
  moves(entry: Entry, seen: Seen): Move[];
  /** Faults that do not end the turn, whatever state the task is in. Undefined for every other one. */
  besides?(frame: FaultFrame): Move[] | undefined;
  /** Faults that mean something else than a failed task. Undefined for every other one. */
  fault?(frame: FaultFrame, seen: Seen): Move[] | undefined;
}

/** The interpretation of a bridge's frames: what is the same in all of them stands here. */
export function interpreter<Entry>(reading: Reading<Entry>): Interpret {
  return (frame, seen) => {
    if (frame.kind === 'message') {
      const entry = reading.read(frame, seen);
      return entry === undefined ? [{ type: 'note', note: 'not_a_record' }] : reading.moves(entry, seen);
    }
    return frame.kind === 'end' ? endMoves(seen, reading.peer) : faultMoves(frame, seen, reading);
  };
}

function faultMoves<Entry>(frame: FaultFrame, seen: Seen, { besides, fault }: Reading<Entry>): Move[] {
  const noted = besides?.(frame);
  if (noted !== undefined) return noted;
  if (isTerminal(seen.status)) return [{ type: 'note', note: 'late_result', details: { fault: frame.code } }];
  return fault?.(frame, seen) ?? [{ type: 'status', to: 'FAILED', failure: failureOfFault(frame) }];
}

/** Why a task failed whose turn ended in a fault. What would be an error of a request is one of the agent here. */
export function failureOfFault({ code, message, details }: FaultFrame): Failure {
  const known = Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code as keyof typeof ERROR_CODES] : undefined;
  const type = known === undefined || known.type === 'request_error' ? 'upstream_error' : known.type;
  return { code, message, type, ...(details !== undefined && { details }) };
}

/** The peer closed the turn. Work that is still going on then has no result. */
function endMoves({ status }: Seen, peer: Reading<unknown>['peer']): Move[] {
  if (isTerminal(status) || isBlocked(status)) return [];
  const message = `The ${peer} ended without a result.`;
  const failure: Failure = { code: 'upstream_unavailable', message, type: 'upstream_error' };
  return [{ type: 'status', to: 'FAILED', failure }];
}

/** The record in a frame body, by the member that names its kind; undefined when that is none of these kinds. */
export function recordIn<Tag extends string, Entry extends { [Name in Tag]: string }>(
  body: JsonValue,
  tag: Tag,
  kinds: { readonly [Kind in Entry[Tag]]: unknown },
): Entry | undefined {
  const kind = objectOf(body)[tag];
  return typeof kind === 'string' && Object.hasOwn(kinds, kind) ? (body as unknown as Entry) : undefined;
}
