import type { Gateway } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { ServerRequest } from '#protocol-server.ts';
import { type Event, TaskView } from '../../../mappings/a2a/task-view.ts';
import { ask } from '../../wire/gateway-calls.ts';

const EVENTS_PER_PAGE = '200';
/** Views kept at once, and events in all that they were folded from: what a client polls is among the newest. */
const MAX_VIEWS = 500;
const MAX_EVENTS = 50_000;

interface Kept {
  view: TaskView;
  /** The newest event in it; empty before the first. */
  last: string;
  events: number;
}

/**
 * Tasks as A2A clients see them. A view is kept, so that asking for a Task again reads only what came since: a status poll does
 * not grow with the chunks of a Task. The gateway is asked each time, and says who may see what.
 */
export class TaskViews {
  readonly #gateway: Gateway;
  /** By Task and by what its reader is shown; the one asked for last stands at the end. */
  readonly #kept = new Map<string, Kept>();
  #events = 0;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** The Task as its events give it now. */
  async read(exchange: ServerRequest, taskId: string): Promise<TaskView> {
    const key = `${taskId} ${exchange.caller().seesInternal}`;
    const known = this.#kept.get(key);
    if (known === undefined)
      return this.#fold(exchange, taskId, key, { view: new TaskView(), last: '', events: 0 });
    return this.#fold(exchange, taskId, key, known).catch((error: unknown) => {
      const isGone = error instanceof ProtocolError && error.code === 'cursor_expired';
      if (!isGone) throw error;
      this.#forget(key);
      return this.read(exchange, taskId);
    });
  }

  async #fold(exchange: ServerRequest, taskId: string, key: string, kept: Kept): Promise<TaskView> {
    let after: string | null = kept.last;
    do {
      const query: Record<string, string> = {
        limit: EVENTS_PER_PAGE,
        ...(after === '' ? {} : { after_event_id: after }),
      };
      const call = exchange.call({ path: { task_id: taskId }, query });
      const page: EventPage = await ask<EventPage>(this.#gateway, 'listTaskEvents', call);
      for (const event of page.data) this.#advance(kept, event);
      after = page.next_cursor;
    } while (after !== null);
    if (kept.view.isErased) {
      this.#forget(key);
      throw new ProtocolError('resource_not_found', `${taskId} is being erased.`);
    }
    this.#keep(key, kept);
    return kept.view.copy();
  }

  /** Another request may have read the same events meanwhile. */
  #advance(kept: Kept, event: Event): void {
    if (event.id <= kept.last) return;
    kept.view.advance(event);
    kept.last = event.id;
    kept.events += 1;
  }

  #keep(key: string, kept: Kept): void {
    this.#forget(key);
    if (kept.last === '' || kept.events > MAX_EVENTS) return;
    this.#kept.set(key, kept);
    this.#events += kept.events;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_VIEWS && this.#events <= MAX_EVENTS) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#events = [...this.#kept.values()].reduce((sum, { events }) => sum + events, 0);
  }
}

interface EventPage {
  data: Event[];
  next_cursor: string | null;
}
