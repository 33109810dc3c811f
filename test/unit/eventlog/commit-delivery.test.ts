import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog } from '#eventlog/event-log.ts';
import { type FrameSink, Subscriptions } from '#eventlog/subscription.ts';
import { append, LogDirectory, noted, until } from './log-harness.ts';

/** Keeps what it is told, in order. */
class Listener implements FrameSink {
  readonly heard: string[] = [];
  unsentPerFrame = 0;
  failsAt: string | undefined;
  #unsent = 0;

  write({ id }: { id: string }): number {
    const name = String(Number(id));
    if (name === this.failsAt) throw new Error('broken');
    this.heard.push(name);
    this.#unsent += this.unsentPerFrame;
    return this.#unsent;
  }
  cork(): void {
    this.heard.push('cork');
  }
  uncork(): void {
    this.heard.push('uncork');
  }
  caughtUp(): void {
    this.heard.push('live');
  }
  async drained(): Promise<void> {}
  end(reason: string): void {
    this.heard.push(reason);
  }
}

describe('the events of one commit', () => {
  let directory: LogDirectory;
  let log: EventLog;
  let subscriptions: Subscriptions;
  beforeEach(async () => {
    directory = new LogDirectory();
    log = await directory.open();
    subscriptions = new Subscriptions(log);
  });
  afterEach(() => directory.remove());

  const listen = async (sink: Listener, scope: 'all' | 'task' = 'all') => {
    const id = 't';
    subscriptions.subscribe({
      scope: scope === 'all' ? { kind: 'all' } : { kind: 'task', id },
      sink,
      isLast: ({ payload }) => payload['note'] === 'last',
      maxBufferedBytes: 100,
    });
    await until(() => sink.heard.includes('live'));
    sink.heard.length = 0;
  };
  const task = (note: string) => noted('t', note, { task_id: 't' });

  it('reach a live subscriber as one write, those of its stream only', async () => {
    const [all, one] = [new Listener(), new Listener()];
    await listen(all);
    await listen(one, 'task');
    await append(log, task('a'), noted('other', 'b'), task('c'));
    await append(log, task('d'));
    await until(() => all.heard.includes('4') && one.heard.includes('4'));
    expect(all.heard).toEqual(['cork', '1', '2', '3', 'uncork', '4']);
    expect(one.heard).toEqual(['cork', '1', '3', 'uncork', '4']);
  });

  it('stop at the last one of the stream', async () => {
    const sink = new Listener();
    await listen(sink);
    await append(log, task('a'), task('last'), task('c'));
    await until(() => sink.heard.includes('uncork'));
    expect(sink.heard).toEqual(['cork', '1', '2', 'complete', 'uncork']);
  });

  it('stop where the subscriber is too slow', async () => {
    const sink = new Listener();
    sink.unsentPerFrame = 60;
    await listen(sink);
    await append(log, task('a'), task('b'), task('c'));
    await until(() => sink.heard.includes('uncork'));
    expect(sink.heard).toEqual(['cork', '1', '2', 'overflow', 'uncork']);
  });

  it('are let go even when a subscriber fails', async () => {
    const [broken, sound] = [new Listener(), new Listener()];
    broken.failsAt = '2';
    await listen(broken);
    await listen(sound);
    await append(log, task('a'), task('b'), task('c'));
    await until(() => sound.heard.includes('uncork'));
    expect(broken.heard).toEqual(['cork', '1', 'failed', 'uncork']);
    expect(sound.heard).toEqual(['cork', '1', '2', '3', 'uncork']);
  });
});
