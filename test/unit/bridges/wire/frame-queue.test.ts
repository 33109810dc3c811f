import { describe, expect, it } from 'vitest';
import type { Frame } from '#protocol-client.ts';
import { FrameQueue } from '../../../../bridges/wire/frame-queue.ts';

/** Timers that run when the test says so. */
function heldTimers() {
  const held = new Map<number, () => void>();
  return {
    setTimeout: (run: () => void, ms: number) => {
      held.set(ms, run);
      return ms;
    },
    clearTimeout: (handle: unknown) => void held.delete(handle as number),
    run: (ms: number) => held.get(ms)?.(),
    waits: () => [...held.keys()],
  };
}

const GATHER_MS = 2;
const frame = (n: number): Frame => ({ kind: 'message', body: n });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('frames of an agent', () => {
  const never = new AbortController().signal;
  const late = () => undefined;

  it('that come shortly after one another are handed out together', async () => {
    const timers = heldTimers();
    const queue = new FrameQueue();
    const first = queue.next(never, timers, undefined, late);
    queue.push(frame(1));
    await turn();
    queue.push(frame(2));
    await turn();
    expect(timers.waits()).toEqual([GATHER_MS]);
    timers.run(GATHER_MS);
    expect(await first).toEqual({ ...frame(1), more: true });
    expect(await queue.next(never, timers, undefined, late)).toEqual(frame(2));
  });

  it('are handed out together up to a bound, and the next ones after those', async () => {
    const timers = heldTimers();
    const queue = new FrameQueue();
    for (let n = 1; n <= 40; n += 1) queue.push(frame(n));
    queue.close();
    const given: (Frame | undefined)[] = [];
    for (let n = 1; n <= 40; n += 1) given.push(await queue.next(never, timers, undefined, late));
    const ends = given.flatMap((each) => (each?.kind === 'message' && !each.more ? [each.body] : []));
    expect(ends).toEqual([32, 40]);
    expect(await queue.next(never, timers, undefined, late)).toBeUndefined();
  });

  it('that came together keep whoever waits for one of them until all are recorded', async () => {
    const timers = heldTimers();
    const queue = new FrameQueue();
    let isRecorded = false;
    void queue.pushUrgent(frame(1)).then(() => {
      isRecorded = true;
    });
    queue.push(frame(2));
    expect(await queue.next(never, timers, undefined, late)).toEqual({ ...frame(1), more: true });
    expect(await queue.next(never, timers, undefined, late)).toEqual(frame(2));
    await turn();
    expect(isRecorded).toBe(false);
    void queue.next(never, timers, undefined, late);
    await turn();
    expect(isRecorded).toBe(true);
  });

  it('that somebody waits for are not held, and are told when they are recorded', async () => {
    const timers = heldTimers();
    const queue = new FrameQueue();
    const first = queue.next(never, timers, undefined, late);
    queue.push(frame(1));
    let isRecorded = false;
    void queue.pushUrgent(frame(2)).then(() => {
      isRecorded = true;
    });
    expect(await first).toEqual({ ...frame(1), more: true });
    expect(await queue.next(never, timers, undefined, late)).toEqual(frame(2));
    await turn();
    expect(isRecorded).toBe(false);
    void queue.next(never, timers, undefined, late);
    await turn();
    expect(isRecorded).toBe(true);
  });

  it('end with the queue, and keep nobody waiting whom nobody reads any more', async () => {
    const timers = heldTimers();
    const queue = new FrameQueue();
    const waiting = queue.pushUrgent(frame(1));
    queue.close();
    expect(queue.drain()).toEqual([frame(1)]);
    await waiting;
    await queue.pushUrgent(frame(2));
    expect(await queue.next(never, timers, undefined, late)).toBeUndefined();
  });

  it('that do not come in time are given up by whoever waits for them, with a last frame', async () => {
    const timers = heldTimers();
    const queue = new FrameQueue();
    const next = queue.next(never, timers, 500, () => {
      queue.push(frame(1));
      queue.close();
    });
    timers.run(500);
    expect(await next).toEqual(frame(1));
    expect(await queue.next(never, timers, 500, late)).toBeUndefined();
    expect(queue.isClosed).toBe(true);
  });

  it('are read one by one where nobody gathers them, to the end of the queue', async () => {
    const queue = new FrameQueue();
    const read: Frame[] = [];
    const reading = (async () => {
      for await (const each of queue) read.push(each);
    })();
    queue.push(frame(1));
    queue.push(frame(2));
    await turn();
    expect(read).toEqual([frame(1), frame(2)]);
    queue.push(frame(3));
    queue.close();
    await reading;
    expect(read).toEqual([frame(1), frame(2), frame(3)]);
  });

  it('are there in time, or not, or never', async () => {
    const timers = heldTimers();
    const queue = new FrameQueue();
    const inTime = queue.comesWithin(5, timers);
    queue.push(frame(1));
    expect(await inTime).toBe(true);
    expect(await queue.comesWithin(5, timers)).toBe(true);
    queue.drain();
    const tooLate = queue.comesWithin(5, timers);
    timers.run(5);
    expect(await tooLate).toBe(false);
    const closed = queue.comesWithin(5, timers);
    queue.close();
    expect(await closed).toBe(false);
    expect(timers.waits()).toEqual([]);
  });
});
