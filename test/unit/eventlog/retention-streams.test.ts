import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog } from '#eventlog/event-log.ts';
import { type FrameSink, Subscriptions } from '#eventlog/subscription.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { append, LogDirectory, NOBODY, noted, until } from './log-harness.ts';

/** A client that stops reading at an event until it is let on. */
class StallingClient implements FrameSink {
  readonly kinds: string[] = [];
  ended: string | undefined;
  error: unknown;
  isStalled = false;
  readonly #stallAt: number;
  #wake: () => void = () => undefined;

  constructor(stallAt: number) {
    this.#stallAt = stallAt;
  }
  write({ id, kind }: { id: string; kind: string }): number {
    this.kinds.push(`${Number(id)} ${kind.split('.').at(-1)}`);
    this.isStalled = Number(id) === this.#stallAt;
    return this.isStalled ? 1_000 : 0;
  }
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
  letOn(): void {
    this.isStalled = false;
    this.#wake();
  }
  end(reason: string, error?: unknown): void {
    this.ended = reason;
    this.error = error;
  }
}

describe('a stream under which retention passes (S-12)', () => {
  let directory: LogDirectory;
  let log: EventLog;
  beforeEach(async () => {
    directory = new LogDirectory();
    log = await directory.open();
    for (let n = 1; n <= 9; n += 1) await append(log, noted('t', `${n}`, { session_id: 's', task_id: 't' }));
  });
  afterEach(() => directory.remove());

  function follow(scope: Parameters<EventLog['range']>[0], stallAt: number, after?: string): StallingClient {
    const sink = new StallingClient(stallAt);
    const subscriptions = new Subscriptions(log, { historyPage: 2 });
    subscriptions.subscribe({ scope, sink, maxBufferedBytes: 1_000, ...(after ? { after } : {}) });
    return sink;
  }
  const remove = (through: number) => log.removeHistory({ sessionId: 's', throughId: eventIdOf(through) });

  it.each([
    { kind: 'session' as const, id: 's' },
    { kind: 'task' as const, id: 't' },
    { kind: 'all' as const },
  ])('ends with cursor_expired instead of leaving a gap: $kind', async (scope) => {
    const client = follow(scope, 2);
    await until(() => client.isStalled);
    await remove(6);
    client.letOn();
    await until(() => client.ended !== undefined);
    expect(client.kinds).toEqual(['1 submitted', '2 submitted']);
    expect(client.ended).toBe('failed');
    expect(client.error).toMatchObject({ code: 'cursor_expired' });
  });

  it('goes on when it is just past what was removed', async () => {
    const client = follow({ kind: 'session', id: 's' }, 4);
    await until(() => client.isStalled);
    await remove(4);
    client.letOn();
    await until(() => client.kinds.length === 9);
    await remove(9);
    await append(log, noted('t', 'live', { session_id: 's', task_id: 't' }));
    await until(() => client.kinds.length === 10);
    expect(client.kinds.slice(3)).toEqual([4, 5, 6, 7, 8, 9, 10].map((n) => `${n} submitted`));
    expect(client.ended).toBeUndefined();
  });

  it('begins with the mark when it asks for the whole history later', async () => {
    await remove(7);
    const client = follow({ kind: 'session', id: 's' }, 0);
    await until(() => client.kinds.length === 3);
    expect(client.kinds).toEqual(['7 history_removed', '8 submitted', '9 submitted']);
  });

  it('reads a range from the start without a fault while events are removed and appended', async () => {
    const scope = { kind: 'session' as const, id: 's' };
    for (let through = 1; through <= 9; through += 1) {
      const [events] = await Promise.all([
        log.range(scope, eventIdOf(0), 100),
        remove(through),
        log.transact(NOBODY, (tx) => tx.append(noted('t', 'more', { session_id: 's', task_id: 't' }))),
      ]);
      const ids = events.map((bytes) => Number(JSON.parse(bytes.toString()).id));
      expect(ids).toEqual(ids.map((_, at) => (ids[0] ?? 0) + at));
      expect(ids[0]).toBeLessThanOrEqual(Math.max(1, through));
    }
  });
});
