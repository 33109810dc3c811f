import type { JsonObject } from '#protocol/json.ts';
import type { Frame } from '#upstream.ts';
import { FIXED_LIMITS } from './config.ts';
import { Fault } from './faults.ts';
import type { A2aRecord, AgentError, Reading } from './record.ts';
import { saysUnsupported } from './requests.ts';
import type { TurnRun } from './turn-run.ts';
import { Backoff, pause } from './watchdog.ts';

/**
 * Stays with a task whose stream is over or was never there: subscribes again, and where that is impossible or ends,
 * polls. Snapshots are yielded as they come; interpretation reconciles them. Faults of the connection are retried with
 * back-off, a bounded number of times in a row.
 */
export async function* follow(run: TurnRun): AsyncGenerator<Frame> {
  const { reconnect, poll, unknownPolls, standingPolls } = FIXED_LIMITS;
  const watch = new Watch(run);
  const pollPause = new Backoff(poll.firstMs, poll.longestMs);
  const retryPause = new Backoff(reconnect.firstMs, reconnect.longestMs);
  for (let failures = 0, unknown = 0, standing = 0, stoodMs = 0; ; ) {
    watch.heardMore = false;
    try {
      yield* watch.once();
      failures = 0;
      retryPause.reset();
    } catch (error) {
      if (watch.heardMore) failures = 0;
      failures += 1;
      if (!(error instanceof Fault) || !error.isLost || failures > reconnect.attempts) throw error;
      await pause(retryPause.next(), run.signal, run.ports.timers);
      continue;
    }
    // Without a stream there is nothing to listen to while a human signs in.
    if (run.progress.isSettled || run.progress.awaitsAuth) return;
    unknown = run.progress.unknownState === undefined ? 0 : unknown + 1;
    if (unknown > unknownPolls) throw unknownState(run);
    const waitMs = pollPause.next();
    standing = run.progress.stands ? standing + 1 : 0;
    stoodMs = run.progress.stands ? stoodMs + waitMs : 0;
    const isEnough = run.progress.standsIdentified
      ? stoodMs > run.ports.wire.limits.idle_timeout_ms
      : standing > standingPolls;
    if (run.progress.stands && isEnough) run.progress.takeAsAnswer();
    await pause(waitMs, run.signal, run.ports.timers);
  }
}

function unknownState(run: TurnRun): Fault {
  const details = { reason: 'unknown_state', ...namedState(run) };
  return new Fault(
    'upstream_unavailable',
    'The agent stays in a state that the gateway does not know.',
    details,
  );
}

function namedState({ progress: { unknownState: state } }: TurnRun): JsonObject {
  return state === undefined ? {} : { a2a_state: state };
}

class Watch {
  /** Something came that no snapshot had: the connection works, whatever ended it. */
  heardMore = false;
  #canSubscribe: boolean;
  /** The agent let us subscribe, so that the end of the stream says something. */
  #isHeard = false;
  #lastSnapshot = '';
  readonly #run: TurnRun;
  readonly #taskId: string;

  constructor(run: TurnRun) {
    const { taskId } = run.progress;
    if (taskId === undefined) {
      throw new Fault('upstream_unavailable', 'The agent ended without a result.', { reason: 'no_result' });
    }
    this.#run = run;
    this.#taskId = taskId;
    this.#canSubscribe = run.canStream;
  }

  async *once(): AsyncGenerator<Frame> {
    if (this.#canSubscribe) yield* this.#listen();
    if (!this.#run.progress.isSettled) yield* this.#look();
  }

  /** A task that waits as before when the agent has nothing more to say, or says nothing for long, waits for another answer. */
  async *#listen(): AsyncGenerator<Frame> {
    try {
      yield* this.#subscribe();
      if (this.#isHeard) this.#run.progress.takeAsAnswer();
    } catch (error) {
      if (!this.#run.waitsOn(error)) throw error;
      this.#canSubscribe = false;
    }
  }

  /** Listens until the stream ends. A stream that ended in good order is not opened again: polling tells the rest. */
  async *#subscribe(): AsyncGenerator<Frame> {
    let isFirst = true;
    for await (const { record, reading } of this.#run.ask({
      operation: 'SubscribeToTask',
      taskId: this.#taskId,
    })) {
      if (reading.kind === 'error') this.#refuseUnknownTask(reading.error);
      // Without a snapshot first there is no telling what was missed; polling misses nothing.
      if (isFirst && !isSnapshot(reading)) break;
      const frame = this.#take(record, reading);
      this.#isHeard = true;
      if (!isFirst) this.heardMore = true;
      isFirst = false;
      if (frame !== undefined) yield frame;
      if (this.#run.progress.isSettled) return;
    }
    this.#canSubscribe = false;
  }

  async *#look(): AsyncGenerator<Frame> {
    for await (const { record, reading } of this.#run.ask({ operation: 'GetTask', taskId: this.#taskId })) {
      if (reading.kind === 'error') throw this.#refusal(reading.error);
      const frame = this.#take(record, reading);
      if (frame !== undefined) yield frame;
      if (!isSnapshot(reading)) throw noAnswer();
    }
  }

  /** A snapshot that says nothing new is not worth a frame. */
  #take(record: A2aRecord, reading: Reading): Frame | undefined {
    const frame = this.#run.take(record, reading);
    if (!isSnapshot(reading)) return frame;
    const snapshot = JSON.stringify([reading.body, this.#run.progress.stands]);
    if (snapshot === this.#lastSnapshot) return undefined;
    this.#lastSnapshot = snapshot;
    return frame;
  }

  #refuseUnknownTask(error: AgentError): void {
    if (error.name === 'TaskNotFound') throw this.#refusal(error);
  }

  #refusal(error: AgentError): Fault {
    const details = { reason: 'task_not_followed', a2a_error: error.name ?? null, ...namedState(this.#run) };
    if (error.name === 'TaskNotFound') {
      return new Fault('upstream_unavailable', 'The agent no longer knows the task.', details);
    }
    const isLost = !saysUnsupported(error);
    return new Fault('upstream_unavailable', 'The agent does not say how the task goes on.', details, isLost);
  }
}

function isSnapshot(reading: Reading): reading is Extract<Reading, { kind: 'event' }> {
  return reading.kind === 'event' && reading.event === 'task';
}

function noAnswer(): Fault {
  return new Fault(
    'upstream_unavailable',
    'The agent did not answer for the task.',
    { reason: 'no_answer' },
    true,
  );
}
