import type { Frame, ProtocolClient } from '#protocol-client.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { SessionFold, TaskState } from '#resources/states.ts';
import { openRecorder } from './frame-recorder.ts';
import type { RunnerDeps } from './runner-deps.ts';

/** What agents say while no turn runs, on its way into the log: in the order it came, in the task that ran last. */
export class Overheard {
  readonly #deps: RunnerDeps;
  /** By task. */
  readonly #open = new Map<string, { frames: Frame[]; recorded: Promise<void> }>();

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /** `before`: the turn of the task, whose frames go first. Resolves when what came meanwhile is durable too. */
  take(upstream: ProtocolClient, taskId: string, frame: Frame, before: Promise<void>): Promise<void> {
    const open = this.#open.get(taskId);
    if (open !== undefined) {
      open.frames.push(frame);
      return open.recorded;
    }
    const frames = [frame];
    const recorded = this.#recordAll(upstream, taskId, frames, before);
    this.#open.set(taskId, { frames, recorded });
    return recorded;
  }

  async #recordAll(
    upstream: ProtocolClient,
    taskId: string,
    frames: Frame[],
    before: Promise<void>,
  ): Promise<void> {
    try {
      await before.catch(() => undefined);
      while (frames.length > 0) await this.#record(upstream, taskId, frames);
    } finally {
      this.#open.delete(taskId);
    }
  }

  /** Of a Session that is closed nothing is kept. */
  async #record(upstream: ProtocolClient, taskId: string, frames: Frame[]): Promise<void> {
    if (this.#isClosed(taskId)) {
      frames.length = 0;
      return;
    }
    const recorder = await openRecorder(this.#deps, upstream, { taskId, isStarting: false, sent: [] });
    try {
      for (const frame of frames.splice(0)) await recorder.take(frame);
    } finally {
      await recorder.finish();
    }
  }

  #isClosed(taskId: string): boolean {
    const { log } = this.#deps;
    const sessionId = log.state<TaskState>(stateKey.task(taskId))?.resource.session_id;
    const session = sessionId && log.state<SessionFold>(stateKey.session(sessionId));
    return !session || session.resource.state === 'CLOSED';
  }
}
