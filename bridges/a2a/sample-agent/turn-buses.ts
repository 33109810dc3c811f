import { UnsupportedOperationError } from '@a2a-js/sdk/errors';
import {
  DefaultExecutionEventBusManager,
  type ExecutionEventBus,
  type ServerCallContext,
} from '@a2a-js/sdk/server';
import type { RunningTurns } from './running-turns.ts';

/**
 * Gives every turn its own event bus. The SDK forbids a second task snapshot on a stream, so a stream that is still
 * open at AUTH_REQUIRED would fail when the task goes on; here it ends and the new message has its own stream.
 */
export class TurnBuses extends DefaultExecutionEventBusManager {
  readonly #turns: RunningTurns;

  constructor(turns: RunningTurns) {
    super();
    this.#turns = turns;
  }

  /** Throws UnsupportedOperationError while the task works: the client may send again when it waits for input. */
  override createOrGetByTaskId(taskId: string, context?: ServerCallContext): ExecutionEventBus {
    if (this.#turns.isRunning(taskId)) {
      throw new UnsupportedOperationError(`Task ${taskId} is working and takes no message now.`);
    }
    this.getByTaskId(taskId, context)?.finished();
    this.cleanupByTaskId(taskId, context);
    return super.createOrGetByTaskId(taskId, context);
  }
}
