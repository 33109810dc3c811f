import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog, StreamScope } from '#eventlog/event-log.ts';
import { type SubscriptionOptions, Subscriptions } from '#eventlog/subscription.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { append, LogDirectory, NOBODY, noted, until } from './log-harness.ts';
import { RecordingClient } from './recording-client.ts';

const ALL: StreamScope = { kind: 'all' };
const idsUpTo = (n: number) => Array.from({ length: n }, (_, at) => at + 1);

describe('a subscription', () => {
  let directory: LogDirectory;
  let log: EventLog;
  let subscriptions: Subscriptions;
  beforeEach(async () => {
    directory = new LogDirectory();
    log = await directory.open();
    subscriptions = new Subscriptions(log, { historyPage: 50 });
  });
  afterEach(() => directory.remove());

  const follow = (change: Partial<SubscriptionOptions> = {}) => {
    const client = new RecordingClient();
    const options = { scope: ALL, sink: client, maxBufferedBytes: 1_000_000, ...change };
    return { client, subscription: subscriptions.subscribe(options) };
  };
  const appendMany = async (count: number, streams = 1) => {
    const one = (n: number) => noted(`t${n % streams}`, `${n}`, { session_id: `s${n % streams}` });
    await log.transact(NOBODY, (tx) => {
      for (let n = 0; n < count; n += 1) tx.append(one(n));
    });
  };

  it('writes the history that a client has room for at once, and the events of a commit', async () => {
    await appendMany(120);
    const { client } = follow();
    await until(() => client.frames.length === 120);
    await appendMany(3);
    await until(() => client.frames.length === 123);
    expect(client.writes).toEqual([50, 50, 20, 3]);
  });

  it('goes on after its cursor', async () => {
    await appendMany(120);
    const { client } = follow({ after: eventIdOf(70) });
    await until(() => client.frames.length === 50);
    await appendMany(1);
    await until(() => client.frames.length === 51);
    expect(client.ids).toEqual(idsUpTo(121).slice(70));
  });

  it('follows one session only', async () => {
    await appendMany(20, 2);
    const { client, subscription } = follow({ scope: { kind: 'session', id: 's0' } });
    await until(() => client.frames.length === 10);
    await appendMany(4, 2);
    await until(() => client.frames.length === 12);
    expect(client.ids.every((id) => id % 2 === 1)).toBe(true);
    expect(subscription.cursor()).toBe(eventIdOf(23));
  });

  it('moves its cursor over events the filter hides', async () => {
    await appendMany(10);
    const { client, subscription } = follow({ filter: ({ sequence }) => sequence <= 3 });
    await until(() => subscription.cursor() === eventIdOf(10));
    expect(client.ids).toEqual([1, 2, 3]);
  });

  it('shares one SSE frame among live subscribers', async () => {
    const [a, b] = [follow(), follow()];
    await appendMany(1);
    await until(() => a.client.frames.length + b.client.frames.length === 2);
    await appendMany(1);
    await until(() => a.client.frames.length + b.client.frames.length === 4);
    const [first, second] = [a.client.frames[1]?.sse, b.client.frames[1]?.sse];
    expect(first).toBe(second);
    const stored = log.event(eventIdOf(2))?.bytes.toString();
    expect(first?.toString()).toBe(`id: ${eventIdOf(2)}\nevent: task.submitted\ndata: ${stored}\n\n`);
  });

  it('ends with its last event', async () => {
    const { client } = follow({ isLast: ({ payload }) => payload['note'] === '2' });
    await appendMany(5);
    await until(() => client.ended !== undefined);
    expect([client.ended, client.ids]).toEqual(['complete', [1, 2, 3]]);
  });

  it('ends after the history when nothing more can come', async () => {
    await appendMany(60);
    const { client } = follow({ after: eventIdOf(60), isOver: () => true });
    await until(() => client.ended !== undefined);
    expect([client.ended, client.ids]).toEqual(['complete', []]);
  });

  it('tells a live subscriber that does not read to resume, and the others notice nothing', async () => {
    const slow = follow({ maxBufferedBytes: 5_000 });
    const quick = follow();
    await appendMany(1);
    await until(() => quick.client.frames.length + slow.client.frames.length === 2);
    slow.client.stalled = true;
    await appendMany(100);
    await until(() => quick.client.frames.length === 101);
    expect(slow.client.ended).toBe('overflow');
    expect(slow.client.unsent).toBeLessThan(6_000);
    const resumed = follow({ after: eventIdOf(slow.client.frames.length) });
    await until(() => resumed.client.frames.length === 101 - slow.client.frames.length);
    expect([...slow.client.ids, ...resumed.client.ids]).toEqual(idsUpTo(101));
  });

  it('reads history only while the client takes it', async () => {
    await appendMany(500);
    const client = new RecordingClient();
    client.stalled = true;
    follow({ sink: client, maxBufferedBytes: 10_000 });
    await until(() => client.frames.length > 5);
    await appendMany(500);
    expect(client.frames.length).toBeLessThan(50);
    client.drain();
    await until(() => client.frames.length === 1_000);
    expect([client.ended, client.ids]).toEqual([undefined, idsUpTo(1_000)]);
  });

  it('delivers nothing after it was closed', async () => {
    const { client, subscription } = follow();
    await appendMany(1);
    await until(() => client.frames.length === 1);
    subscription.close();
    await appendMany(1);
    expect(client.ids).toEqual([1]);
  });

  it('serves more subscribers than one slice holds', async () => {
    subscriptions = new Subscriptions(log, { sliceSize: 10 });
    const clients = Array.from({ length: 35 }, () => follow().client);
    await appendMany(3);
    await until(() => clients.every(({ frames }) => frames.length >= 3));
    await appendMany(3);
    await until(() => clients.every(({ frames }) => frames.length >= 6));
    for (const client of clients) expect(client.ids).toEqual(idsUpTo(6));
  });

  it.each([
    ['a malformed cursor', '12', 'invalid_request'],
    ['a cursor that is no number', 'x'.repeat(20), 'invalid_request'],
    ['a cursor in the future', eventIdOf(11), 'cursor_expired'],
    ['a cursor of another stream', eventIdOf(2), 'cursor_expired'],
  ])('refuses %s', async (_, after, code) => {
    await appendMany(10, 2);
    const subscribe = () => follow({ scope: { kind: 'session', id: 's0' }, after, cursorParam: 'after' });
    expect(subscribe).toThrowError(expect.objectContaining({ code, param: 'after' }));
  });

  it('ends with the error when the log cannot be read', async () => {
    await appendMany(10);
    log.range = () => Promise.reject(new Error('disk'));
    const { client } = follow();
    await until(() => client.ended !== undefined);
    expect(client).toMatchObject({ ended: 'failed', error: { code: 'internal_error' } });
  });
});

it('keeps the order of ids per subscriber when appends and subscribers interleave', async () => {
  const directory = new LogDirectory();
  const log = await directory.open();
  const subscriptions = new Subscriptions(log, { sliceSize: 3, historyPage: 5 });
  const clients: RecordingClient[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    const client = new RecordingClient();
    clients.push(client);
    subscriptions.subscribe({ scope: ALL, sink: client, maxBufferedBytes: 1_000_000 });
    await append(log, noted('t', `${turn}`));
  }
  await until(() => clients.every(({ frames }) => frames.length >= 60));
  for (const client of clients) expect(client.ids).toEqual(idsUpTo(60));
  await directory.remove();
});
