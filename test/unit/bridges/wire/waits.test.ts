import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../bridges/wire/faults.ts';
import {
  Backoff,
  isDoneWithin,
  pause,
  timersOf,
  unlessAborted,
  Watchdog,
} from '../../../../bridges/wire/waits.ts';

/** Timers that run when the test says so. */
function handTimers() {
  const waiting = new Map<number, { run: () => void; ms: number }>();
  let count = 0;
  return {
    waiting,
    setTimeout(run: () => void, ms: number): unknown {
      count += 1;
      waiting.set(count, { run, ms });
      return count;
    },
    clearTimeout(handle: unknown): void {
      waiting.delete(handle as number);
    },
    pass(): void {
      const due = [...waiting.values()];
      waiting.clear();
      for (const { run } of due) run();
    },
  };
}

describe('a pause', () => {
  it('ends with its time, and leaves no timer when it is given up', async () => {
    const timers = handTimers();
    const over = pause(10, timers);
    timers.pass();
    await over;
    const leave = new AbortController();
    const left = pause(10, timers, leave.signal);
    leave.abort('enough');
    await expect(left).rejects.toBe('enough');
    expect(timers.waiting.size).toBe(0);
    await expect(pause(10, timers, leave.signal, 'given up')).rejects.toBe('given up');
  });
});

describe('work that is waited for', () => {
  it('is done in time, or not; a failure is not done', async () => {
    const timers = handTimers();
    expect(await isDoneWithin(Promise.resolve(), 10, timers)).toBe(true);
    expect(await isDoneWithin(Promise.reject(new Error('no')), 10, timers)).toBe(false);
    expect(timers.waiting.size).toBe(0);
    const late = isDoneWithin(new Promise(() => undefined), 10, timers);
    timers.pass();
    expect(await late).toBe(false);
  });

  it('is let go by who leaves, and ends for the others', async () => {
    const leave = new AbortController();
    let finish: (value: string) => void = () => undefined;
    const work = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const mine = unlessAborted(work, leave.signal);
    const theirs = unlessAborted(work, new AbortController().signal);
    leave.abort('enough');
    await expect(mine).rejects.toBe('enough');
    finish('done');
    expect(await theirs).toBe('done');
  });

  it('that fails after everybody has left is noticed by nobody', async () => {
    const work = Promise.reject(new Error('no'));
    await expect(unlessAborted(work, AbortSignal.abort('enough'))).rejects.toBe('enough');
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('a watchdog', () => {
  it('aborts with the name of the window that passed, and with the reason of who gives up', () => {
    const timers = handTimers();
    const watchdog = new Watchdog(new AbortController().signal, timers);
    watchdog.watch('first_frame', 10);
    watchdog.watch('idle', 20);
    expect([...timers.waiting.values()].map(({ ms }) => ms)).toEqual([20]);
    timers.pass();
    expect(watchdog.signal.reason).toMatchObject({ code: 'deadline_exceeded', details: { timeout: 'idle' } });
    expect(watchdog.signal.reason).toBeInstanceOf(Fault);

    const outer = new AbortController();
    const other = new Watchdog(outer.signal, timers);
    outer.abort('left');
    expect(other.signal.reason).toBe('left');
  });

  it('times nothing while it rests, nor when it is closed', () => {
    const timers = handTimers();
    const outer = new AbortController();
    const watchdog = new Watchdog(outer.signal, timers);
    watchdog.watch('idle', 10);
    watchdog.rest();
    expect(timers.waiting.size).toBe(0);
    watchdog.watch('idle', 10);
    watchdog.close();
    outer.abort('left');
    expect(timers.waiting.size).toBe(0);
    expect(watchdog.signal.aborted).toBe(false);
  });
});

it('doubling waits keep their bounds and begin again', () => {
  const backoff = new Backoff(100, 350);
  expect([backoff.next(), backoff.next(), backoff.next(), backoff.next()]).toEqual([100, 200, 350, 350]);
  backoff.reset();
  expect(backoff.next()).toBe(100);
});

it('timers of a server are stopped by what they return', () => {
  const stopped: string[] = [];
  const timers = timersOf({ after: () => () => stopped.push('stopped') });
  timers.clearTimeout(timers.setTimeout(() => undefined, 10));
  timers.clearTimeout(undefined);
  expect(stopped).toEqual(['stopped']);
});
