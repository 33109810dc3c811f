import type { Gateway, StreamEnd, StreamFrame, StreamSink, Subscription } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { isBlocked, isTerminal, type TaskStatus } from '#protocol/task-states.ts';
import type { ServerExchange } from '#protocol-server.ts';

/** What a watched Task does. */
export interface TaskNews {
  /** `eventId`: where the log has it. */
  progress(report: JsonObject, eventId: string): void;
  /** A line that the server logged, as the log has it. Left out: nobody wants them. */
  log?(line: JsonObject, eventId: string): void;
}

/** Where a Task stands when nothing more happens by itself: it is over, or waits for somebody. */
export interface Standstill {
  status: TaskStatus;
  /** The permission request that a blocked Task waits for. */
  requestId?: string;
}

const STATUS_EVENT =
  /^task\.(started|status_changed|input_required|auth_required|completed|failed|canceled)$/;

const NOTE = 'vendor.harn_gateway.upstream_note';

/**
 * Follows a Task until it is over or waits. `beyond` names a request that is answered already: the Task is at a standstill
 * again only with another one. Progress is reported as it comes; with `after` also what came later than that event. Rejects
 * when the signal aborts.
 */
export async function untilStandstill(
  gateway: Gateway,
  exchange: ServerExchange,
  taskId: string,
  news: TaskNews,
  signal: AbortSignal,
  { beyond, after }: { beyond?: string | undefined; after?: string | undefined } = {},
): Promise<Standstill> {
  let resolve: (standstill: Standstill) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<Standstill>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  const abort = () => reject(new ProtocolError('client_closed_request', 'The call was canceled.'));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const call = exchange.call({ path: { task_id: taskId }, lastEventId: undefined });
  let subscription: Subscription | undefined;
  try {
    const sink = new StandstillSink(news, { beyond, after }, resolve, reject);
    subscription = await gateway.subscribe('streamTaskEvents', call, sink);
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    subscription?.close();
  }
}

class StandstillSink implements StreamSink {
  readonly #news: TaskNews;
  readonly #resolve: (standstill: Standstill) => void;
  readonly #reject: (error: Error) => void;
  readonly #beyond: string | undefined;
  readonly #after: string | undefined;
  #stands: Standstill | undefined;
  #isLive = false;

  constructor(
    news: TaskNews,
    { beyond, after }: { beyond: string | undefined; after: string | undefined },
    resolve: (standstill: Standstill) => void,
    reject: (error: Error) => void,
  ) {
    this.#news = news;
    this.#beyond = beyond;
    this.#after = after;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  write({ id, event: { event, payload } }: StreamFrame): number {
    const isNews = this.#isLive || (this.#after !== undefined && id > this.#after);
    if (event === 'span.updated' && isNews) this.#news.progress(payload, id);
    if (event === NOTE && payload['note'] === 'tool_log' && isNews)
      this.#news.log?.(objectOf(payload['details']), id);
    if (STATUS_EVENT.test(event)) this.#moved(payload);
    if (this.#isLive) this.#report();
    return 0;
  }

  caughtUp(): void {
    this.#isLive = true;
    this.#report();
  }

  async drained(): Promise<void> {}

  end(_reason: StreamEnd, error?: ProtocolError): void {
    this.#isLive = true;
    this.#report();
    const leaving = 'The gateway is shutting down. The task goes on; read it in a moment.';
    this.#reject(error ?? new ProtocolError('service_unavailable', leaving));
  }

  #moved({ status, request_id: requestId }: JsonObject): void {
    const now = status as TaskStatus;
    const request = typeof requestId === 'string' ? { requestId } : {};
    const isAnswered = isBlocked(now) && requestId === this.#beyond;
    this.#stands =
      (isTerminal(now) || isBlocked(now)) && !isAnswered ? { status: now, ...request } : undefined;
  }

  #report(): void {
    if (this.#stands !== undefined) this.#resolve(this.#stands);
  }
}
