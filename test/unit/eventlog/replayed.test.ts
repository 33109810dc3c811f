import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog } from '#eventlog/event-log.ts';
import { type FrameSink, Subscriptions } from '#eventlog/subscription.ts';
import { append, LogDirectory, noted, until } from './log-harness.ts';

/** Keeps what it is told, in order: `1r` for a replayed event, `3` for a live one, `live` for the change. */
class Listener implements FrameSink {
  readonly heard: string[] = [];
  onWrite: (id: number) => void = () => undefined;

  write({ id }: { id: string }, replayed: boolean): number {
    this.heard.push(`${Number(id)}${replayed ? 'r' : ''}`);
    this.onWrite(Number(id));
    return 0;
  }
  caughtUp(): void {
    this.heard.push('live');
  }
  async drained(): Promise<void> {}
  end(reason: string): void {
    this.heard.push(reason);
  }
}

describe('what a subscription says of an event', () => {
  let directory: LogDirectory;
  let log: EventLog;
  let subscriptions: Subscriptions;
  beforeEach(async () => {
    directory = new LogDirectory();
    log = await directory.open();
    subscriptions = new Subscriptions(log, { historyPage: 2 });
  });
  afterEach(() => directory.remove());

  const follow = (isOver = false) => {
    const sink = new Listener();
    subscriptions.subscribe({
      scope: { kind: 'all' },
      sink,
      isOver: () => isOver,
      maxBufferedBytes: 1_000_000,
    });
    return sink;
  };
  const add = (note: string) => append(log, noted('t', note));

  it('is replayed for what was recorded before it began, then it tells that live delivery begins', async () => {
    await add('one');
    await add('two');
    const sink = follow();
    await until(() => sink.heard.includes('live'));
    await add('three');
    await until(() => sink.heard.length === 4);
    expect(sink.heard).toEqual(['1r', '2r', 'live', '3']);
  });

  it('is not replayed for what is recorded while history is still delivered', async () => {
    await add('one');
    await add('two');
    const sink = follow();
    sink.onWrite = (id) => {
      if (id === 1) void add('three');
    };
    await until(() => sink.heard.length === 4);
    expect(sink.heard.filter((word) => word !== 'live')).toEqual(['1r', '2r', '3']);
  });

  it('comes without a live phase when nothing more can happen', async () => {
    await add('one');
    const sink = follow(true);
    await until(() => sink.heard.includes('complete'));
    expect(sink.heard).toEqual(['1r', 'complete']);
  });
});
