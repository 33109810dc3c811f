import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { GroupWriter } from '#eventlog/group-commit.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Store, WriteOp } from '#store/store.ts';

interface PendingWrite {
  keys: string[];
  succeed(): void;
  fail(error: Error): void;
}

/** A log of one staging list over a store whose writes end when the test says so. */
function stagingLog() {
  const writes: PendingWrite[] = [];
  const seen: string[] = [];
  let staged: WriteOp[] = [];
  const write = (ops: readonly WriteOp[]) =>
    new Promise<void>((resolve, reject) => {
      writes.push({ keys: ops.map((op) => op.key), succeed: resolve, fail: reject });
    });
  const writer = new GroupWriter({ write } as Store, {
    seal() {
      const ops = staged;
      staged = [];
      return ops;
    },
    now: () => 0,
    onDurable: () => seen.push('durable'),
    onFailure: (error) => seen.push(error.code),
  });
  const stage = (key: string) => staged.push({ type: 'put', key, value: '' });
  const at = (n: number): PendingWrite => {
    const found = writes[n];
    if (found === undefined) throw new Error(`write ${n} was not started`);
    return found;
  };
  return { writer, stage, writes, seen, at };
}

describe('the group writer', () => {
  it('writes everything staged in one turn of the event loop as one group with one promise', async () => {
    const log = stagingLog();
    log.stage('a');
    const first = log.writer.flush();
    await Promise.resolve();
    log.stage('b');
    expect(log.writer.flush()).toBe(first);
    await nextTurn();
    expect(log.writes.map((write) => write.keys)).toEqual([['a', 'b']]);
    log.at(0).succeed();
    await first;
  });

  it('gathers whatever arrives during a write into the next group and starts it when that write is durable', async () => {
    const log = stagingLog();
    log.stage('a');
    const first = log.writer.flush();
    await nextTurn();
    log.stage('b');
    const second = log.writer.flush();
    await nextTurn();
    log.stage('c');
    expect(log.writer.flush()).toBe(second);
    expect(second).not.toBe(first);
    await nextTurn();
    expect(log.writes).toHaveLength(1);
    log.at(0).succeed();
    await first;
    await nextTurn();
    expect(log.at(1).keys).toEqual(['b', 'c']);
    log.at(1).succeed();
    await second;
  });

  it('tells the log that a group is durable before the waiters of that group resume', async () => {
    const log = stagingLog();
    log.stage('a');
    const flushed = log.writer.flush().then(() => log.seen.push('waiter'));
    await nextTurn();
    log.at(0).succeed();
    await flushed;
    expect(log.seen).toEqual(['durable', 'waiter']);
  });

  it('resolves a flush with nothing staged without a write, after the write in flight', async () => {
    const log = stagingLog();
    await log.writer.flush();
    expect([log.writes.length, log.seen]).toEqual([0, []]);
    log.stage('a');
    const first = log.writer.flush();
    await nextTurn();
    const order: string[] = [];
    const barrier = log.writer.flush().then(() => order.push('barrier'));
    void first.then(() => order.push('write'));
    await nextTurn();
    expect(order).toEqual([]);
    log.at(0).succeed();
    await barrier;
    expect(order).toEqual(['write', 'barrier']);
  });

  it('rejects the failed group and the waiting one with service_unavailable and seals nothing until resume', async () => {
    const log = stagingLog();
    log.stage('a');
    const first = log.writer.flush();
    await nextTurn();
    log.stage('b');
    const second = log.writer.flush();
    const outcome = Promise.allSettled([first, second]);
    log.at(0).fail(new ProtocolError('service_unavailable', 'The store failed to write.'));
    expect((await outcome).map((result) => result.status === 'rejected' && result.reason.code)).toEqual([
      'service_unavailable',
      'service_unavailable',
    ]);
    await expect(log.writer.flush()).rejects.toMatchObject({ code: 'service_unavailable' });
    await nextTurn();
    expect([log.writes.length, log.seen]).toEqual([1, ['service_unavailable']]);
    log.writer.resume();
    const third = log.writer.flush();
    await nextTurn();
    expect(log.at(1).keys).toEqual(['b']);
    log.at(1).succeed();
    await third;
  });

  it('turns any other failure of a group into service_unavailable and keeps the cause private', async () => {
    const log = stagingLog();
    log.stage('a');
    const flushed = log.writer.flush();
    const outcome = expect(flushed).rejects.toMatchObject({
      code: 'service_unavailable',
      cause: { message: 'broken' },
    });
    await nextTurn();
    log.at(0).fail(new Error('broken'));
    await outcome;
  });
});
