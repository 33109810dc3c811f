import { stateKey } from '../../projections/state-keys.ts';
import type { TaskState } from '../../projections/states.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { type Failure, isTerminal } from '../../protocol/task-states.ts';
import type { Turn, Upstream } from '../../upstream.ts';
import { moveTask } from '../move-task.ts';
import { type FrameRecorder, openRecorder } from './frame-recorder.ts';
import type { RunnerDeps } from './runner-deps.ts';
import { turnBase, turnOf } from './turn.ts';

/** A reason made once: abort() without one would make an exception with a stack for every turn. */
const STOPPED = 'stopped';

/** One turn of one task: sends the message, records every frame, applies what it means. */
export class TaskRun {
  /** Resolves when the turn is over and everything it recorded is durable; never rejects but for the store. */
  readonly ended: Promise<void>;
  readonly #stopper = new AbortController();
  readonly #deps: RunnerDeps;
  readonly #upstream: Upstream | undefined;
  readonly #taskId: string;
  readonly #kind: Turn['kind'];

  constructor(
    deps: RunnerDeps,
    upstream: Upstream | undefined,
    taskId: string,
    kind: Turn['kind'],
    after: Promise<void> | undefined,
  ) {
    this.#deps = deps;
    this.#upstream = upstream;
    this.#taskId = taskId;
    this.#kind = kind;
    this.ended = this.#run(after);
  }

  /** Lets go of the upstream; the task stays as it is. */
  stop(): void {
    this.#stopper.abort(STOPPED);
  }

  /** Resolves when the turn is over, or when the signal aborts; then the turn is stopped. */
  async endedOr(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.ended.then(resolve, resolve);
    });
    this.stop();
  }

  async #run(after: Promise<void> | undefined): Promise<void> {
    await after?.catch(() => undefined);
    const task = this.#deps.log.state<TaskState>(stateKey.task(this.#taskId));
    if (!task || isTerminal(task.resource.status)) return;
    if (!this.#upstream) return this.#fail(routeMissing(task.internal.route));
    try {
      const ended = await this.#turn(this.#upstream, task);
      if (!ended && !this.#stopper.signal.aborted) await this.#fail(ENDED_EARLY);
    } catch (error) {
      if (ProtocolError.from(error).code === 'service_unavailable') throw error;
      this.#deps.logger.error({ err: error, task_id: this.#taskId }, 'a turn failed inside the gateway');
      await this.#fail(BROKEN_TURN);
    }
  }

  async #turn(upstream: Upstream, task: TaskState): Promise<boolean> {
    const turn = turnOf(this.#deps, task, this.#kind);
    const isStarting = this.#kind === 'start' && task.internal.turns <= 1;
    const recorder = await openRecorder(this.#deps, upstream, this.#taskId, isStarting);
    return this.#follow(upstream, turn, recorder).finally(() => recorder.finish());
  }

  /** Records frames until the task is over or waits for somebody; true when it got there. */
  async #follow(upstream: Upstream, turn: Turn, recorder: FrameRecorder): Promise<boolean> {
    for await (const frame of upstream.run(turn, this.#stopper.signal)) {
      if (this.#stopper.signal.aborted) return false;
      const status = await recorder.take(frame);
      if (status === 'over') {
        this.stop();
        return true;
      }
    }
    return recorder.isAtRest();
  }

  async #fail(failure: Failure): Promise<void> {
    await this.#deps.log.transact({ actor: null }, (tx) => {
      const task = tx.get<TaskState>(stateKey.task(this.#taskId));
      if (task?.resource.status === 'WORKING')
        moveTask(tx, this.#deps.tools, this.#taskId, 'FAILED', { failure });
    });
  }
}

/** Tells the upstream of a canceled task; what it answers is recorded. Without a signal the wait is the configured one. */
export async function forwardCancel(deps: RunnerDeps, task: TaskState, signal?: AbortSignal): Promise<void> {
  const upstream = deps.upstreams.get(task.internal.route);
  if (!upstream) return;
  const recorder = await openRecorder(deps, upstream, task.resource.id, false);
  const turn = { ...turnBase(deps, task), kind: 'continue' as const };
  const bounded = signal ?? deps.timeoutSignal(deps.limits.cancelWaitMs);
  try {
    for await (const frame of upstream.cancel(turn, bounded)) {
      // A peer that cannot cancel does not fail the task: the wish is recorded, the gateway decides.
      if (frame.kind === 'fault') await recorder.noteFault(frame);
      // The end of this exchange is not the end of the turn that runs beside it.
      if (frame.kind === 'message') await recorder.take(frame);
    }
  } finally {
    await recorder.finish();
  }
}

const BROKEN_TURN: Failure = {
  code: 'internal_error',
  type: 'runtime_error',
  message:
    'The gateway failed while it ran this task. What the agent did so far is in the events; submit the task again.',
};

const ENDED_EARLY: Failure = {
  code: 'upstream_unavailable',
  type: 'upstream_error',
  message: 'The agent ended its answer without a final state. Submit the task again, or check the agent.',
  details: { reason: 'ended_without_state' },
};

function routeMissing(route: string): Failure {
  return {
    code: 'upstream_unavailable',
    type: 'upstream_error',
    message:
      'The route of this task is not configured. Restore it in the config file, or submit the task again.',
    details: { reason: 'route_removed', route },
  };
}
