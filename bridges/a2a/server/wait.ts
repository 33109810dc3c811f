import type { FaceExchange } from '#face.ts';
import type { Gateway, Subscription } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { isSettled } from '../../../mappings/a2a/states.ts';
import type { TaskView } from '../../../mappings/a2a/task-view.ts';
import { follow, type Start } from './follow.ts';

/** Blocking calls under way; a shutdown answers them with the Task as it is. */
export class Waiting {
  readonly #open = new Set<() => void>();

  /**
   * The view once the Task is over or asks for something, counted from `start` on; at a shutdown as it is then. Rejects when
   * the caller left.
   */
  async until(gateway: Gateway, exchange: FaceExchange, taskId: string, start: Start): Promise<TaskView> {
    let subscription: Subscription | undefined;
    let isOver = false;
    let finish: () => void = () => undefined;
    const { signal } = exchange;
    try {
      return await new Promise<TaskView>((resolve, reject) => {
        let view: TaskView | undefined;
        finish = () => (view === undefined ? reject(leaving()) : resolve(view));
        this.#open.add(finish);
        signal.addEventListener('abort', () => reject(clientLeft()), { once: true });
        follow(gateway, exchange, taskId, start, {
          begin(seen) {
            view = seen;
            if (start.after !== 'message' && isSettled(seen.status.status)) resolve(seen);
          },
          tell(updates, seen) {
            const isMoved = updates.some(({ type }) => type === 'status');
            if (isMoved && isSettled(seen.status.status)) resolve(seen);
            return 0;
          },
          drained: async () => undefined,
          end: (seen, _reason, error) => (error === undefined ? resolve(seen) : reject(error)),
        }).then((made) => {
          subscription = made;
          if (isOver) made.close();
        }, reject);
      });
    } finally {
      isOver = true;
      this.#open.delete(finish);
      subscription?.close();
    }
  }

  drain(): void {
    for (const finish of this.#open) finish();
  }
}

function leaving(): ProtocolError {
  return new ProtocolError(
    'service_unavailable',
    'The gateway is shutting down. Ask for the task in a moment.',
  );
}

function clientLeft(): ProtocolError {
  return new ProtocolError('client_closed_request', 'The client left before the task was settled.');
}
