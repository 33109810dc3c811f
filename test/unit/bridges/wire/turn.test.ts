import { describe, expect, it } from 'vitest';
import type { Frame, Seen } from '#protocol-client.ts';
import { Fault, unavailable } from '../../../../bridges/wire/faults.ts';
import { FrameQueue } from '../../../../bridges/wire/frame-queue.ts';
import {
  failureOfFault,
  interpreter,
  queuedFrames,
  recordIn,
  runTurn,
  type TurnPlan,
  Watchdog,
} from '../../../../bridges/wire/turn.ts';
import { handTimers } from '../../../harness/hand-timers.ts';
import { Past } from '../../../harness/past.ts';

const never = new AbortController().signal;
const message = (n: number): Frame => ({ kind: 'message', body: n });
const failed = (error: unknown): Frame => {
  if (error instanceof Fault) return error.toFrame();
  throw error;
};

async function all(frames: AsyncIterable<Frame>): Promise<Frame[]> {
  const read: Frame[] = [];
  for await (const frame of frames) read.push(frame);
  return read;
}

async function* yields(...frames: Frame[]) {
  yield* frames;
}

/** Resolves when everything that is due has run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a turn', () => {
  const timers = handTimers();
  const run = (frames: TurnPlan['frames'], signal = never) =>
    all(runTurn(signal, { timers, frames, failed }));

  it('that ends in good order ends with a frame that says so', async () => {
    expect(await run(() => yields(message(1), message(2)))).toEqual([
      message(1),
      message(2),
      { kind: 'end' },
    ]);
  });

  it('that cannot go on ends with what failed', async () => {
    const read = await run(async function* () {
      yield message(1);
      throw unavailable('lost', 'Gone.');
    });
    const fault = { kind: 'fault', code: 'upstream_unavailable', message: 'Gone.' };
    expect(read).toEqual([message(1), { ...fault, details: { reason: 'lost' } }]);
  });

  it('does not hide an error of the gateway', async () => {
    const broken = run(() => {
      throw new TypeError('a bug');
    });
    await expect(broken).rejects.toThrow('a bug');
  });

  it('that takes longer than its total ends with the timeout, and its work is told to stop', async () => {
    let stopped: unknown;
    const frames = async function* (signal: AbortSignal): AsyncGenerator<Frame> {
      yield message(1);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      stopped = signal.reason;
      throw signal.reason;
    };
    const reading = all(runTurn(never, { timers, totalMs: 50, frames, failed }));
    await settled();
    expect([...timers.waiting.values()].map(({ ms }) => ms)).toEqual([50]);
    timers.pass();
    expect((await reading).at(-1)).toMatchObject({
      code: 'deadline_exceeded',
      details: { timeout: 'total' },
    });
    expect(stopped).toBeInstanceOf(Fault);
    expect(timers.waiting.size).toBe(0);
  });

  it('that its caller gives up ends without a word', async () => {
    const caller = new AbortController();
    const frames = async function* (signal: AbortSignal): AsyncGenerator<Frame> {
      yield message(1);
      caller.abort('left');
      throw signal.reason;
    };
    expect(await run(frames, caller.signal)).toEqual([message(1)]);
  });
});

describe('a turn with a queue', () => {
  function queued(isWaiting = false) {
    const frames = new FrameQueue();
    const timers = handTimers();
    const turn = {
      frames,
      isWaiting,
      fail: (fault: Fault) => {
        frames.push(fault.toFrame());
        frames.close();
      },
    };
    const reading = all(queuedFrames(turn, never, { timers, idleMs: 10, totalMs: 100 }));
    const windows = () => [...timers.waiting.values()].map(({ ms }) => ms);
    return { frames, timers, reading, windows };
  }

  it('is read to the end of the queue, and leaves no timer behind', async () => {
    const { frames, reading, timers } = queued();
    frames.push(message(1));
    frames.close();
    expect(await reading).toEqual([message(1)]);
    expect(timers.waiting.size).toBe(0);
  });

  it.each([
    ['idle', 10],
    ['total', 100],
  ])('that reaches its limit %s is given up, and the fault is its last frame', async (timeout, ms) => {
    const { reading, timers, windows } = queued();
    await settled();
    expect(windows()).toContain(ms);
    for (const waiting of timers.waiting.values()) if (waiting.ms === ms) waiting.run();
    expect(await reading).toMatchObject([{ kind: 'fault', code: 'deadline_exceeded', details: { timeout } }]);
    expect(timers.waiting.size).toBe(0);
  });

  it('may be silent for as long as it waits for somebody', async () => {
    const { frames, reading, windows } = queued(true);
    await settled();
    expect(windows()).toEqual([100]);
    frames.close();
    expect(await reading).toEqual([]);
  });
});

describe('the interpretation of a frame', () => {
  type Entry = { op: 'said'; text: string };
  const interpret = interpreter<Entry>({
    peer: 'server',
    read: ({ body }) => recordIn<'op', Entry>(body, 'op', { said: true }),
    moves: ({ text }) => [{ type: 'reasoning', text }],
    besides: ({ details }) => (details?.['beside'] ? [{ type: 'note', note: 'beside' }] : undefined),
    fault: ({ code }) => (code === 'auth_required' ? [{ type: 'note', note: 'login' }] : undefined),
  });
  const of = (frame: Frame, status: Seen['status'] = 'WORKING') =>
    interpret(frame, Object.assign(new Past(), { status }));
  const fault = (code: 'auth_required' | 'rejected', details = {}): Frame => {
    return { kind: 'fault', code, message: 'No.', details };
  };

  it('is that of its record', () => {
    expect(of({ kind: 'message', body: { op: 'said', text: 'a' } })).toEqual([
      { type: 'reasoning', text: 'a' },
    ]);
  });

  it.each([[null], [[]], ['said'], [{}], [{ op: 'other' }], [{ op: 'toString' }], [{ op: 1 }]])(
    'is a note where %j was put in its place',
    (body) => {
      expect(of({ kind: 'message', body })).toEqual([{ type: 'note', note: 'not_a_record' }]);
    },
  );

  it('of a fault is a failed task, or what the bridge says of it', () => {
    const [move] = of(fault('rejected'));
    expect(move).toMatchObject({ type: 'status', to: 'FAILED', failure: { code: 'rejected' } });
    expect(of(fault('auth_required'))).toEqual([{ type: 'note', note: 'login' }]);
  });

  it('of a fault that comes when the task is over is a note, but for what is beside the turn', () => {
    const late = [{ type: 'note', note: 'late_result', details: { fault: 'auth_required' } }];
    expect(of(fault('auth_required'), 'CANCELED')).toEqual(late);
    expect(of(fault('rejected', { beside: true }), 'CANCELED')).toEqual([{ type: 'note', note: 'beside' }]);
  });

  it.each(['COMPLETED', 'FAILED', 'INPUT_REQUIRED', 'AUTH_REQUIRED'] as const)(
    'of an end changes nothing of a task that is %s',
    (status) => {
      expect(of({ kind: 'end' }, status)).toEqual([]);
    },
  );

  it('of an end is a failure of work that goes on', () => {
    expect(of({ kind: 'end' })).toEqual([
      {
        type: 'status',
        to: 'FAILED',
        failure: {
          code: 'upstream_unavailable',
          message: 'The server ended without a result.',
          type: 'upstream_error',
        },
      },
    ]);
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

describe('a failure', () => {
  it.each([
    'upstream_unavailable',
    'deadline_exceeded',
    'payload_too_large',
    'auth_required',
    'rejected',
  ] as const)('by the fault %s is one of the agent, never an error of the request', (code) => {
    const frame = { kind: 'fault' as const, code, message: 'No.' };
    expect(failureOfFault(frame)).toEqual({ code, message: 'No.', type: 'upstream_error' });
    const details = { reason: 'x' };
    expect(failureOfFault({ ...frame, details })).toMatchObject({ details });
  });

  it('by a fault that a replay puts in the place of another one has the type of its code', () => {
    const frame = { kind: 'fault' as const, code: 'internal_error' as never, message: 'No.' };
    expect(failureOfFault(frame)).toMatchObject({ type: 'server_error' });
  });
});
