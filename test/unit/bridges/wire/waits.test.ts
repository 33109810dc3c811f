import { describe, expect, it } from 'vitest';
import { Backoff, isDoneWithin, pause, timersOf, unlessAborted } from '../../../../bridges/wire/waits.ts';
import { handTimers } from '../../../harness/hand-timers.ts';

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
