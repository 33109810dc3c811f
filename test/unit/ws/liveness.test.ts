import { describe, expect, it } from 'vitest';
import { eventually } from '../surfaces/surface-under-test.ts';
import { eventOf, SocketStage, TASK_STREAM } from './socket-stage.ts';

const stage = new SocketStage({ limits: { streamBufferBytes: 256 * 1024 } });
const id = (number: number) => String(number).padStart(20, '0');
const big = (number: number) => eventOf(id(number), 'agent.message', { text: 'x'.repeat(64 * 1024) });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('heartbeats', () => {
  it('come after 15 s of silence, with the cursor of every subscription', async () => {
    const client = await stage.open();
    await client.ask({ type: 'subscribe', id: 'a', stream: 'task', task_id: 'task_1' });
    await client.ask({ type: 'subscribe', id: 'b', stream: 'events' });
    stage.under.gateway.cursor = id(9);
    stage.under.time.advance(14_000);
    await client.ask({ type: 'ping', id: 'p' });
    stage.under.time.advance(14_000);
    await client.ask({ type: 'ping', id: 'q' });
    expect(client.ofType('heartbeat')).toEqual([]);
    stage.under.time.advance(15_000);
    expect(await client.until(({ type }) => type === 'heartbeat')).toEqual({
      type: 'heartbeat',
      cursors: { 'task:task_1': id(9), events: id(9) },
    });
  });

  it('need one timer for all sockets', async () => {
    await stage.open();
    await stage.open(TASK_STREAM);
    expect(stage.under.time.running).toBe(1);
  });
});

describe('a peer that does not answer', () => {
  it('[EXT-WS-05] is pinged after 15 s and cut after 30 s', async () => {
    const silent = await stage.open(TASK_STREAM, { autoPong: false });
    let pings = 0;
    silent.socket.on('ping', () => {
      pings += 1;
    });
    const { sink } = await stage.stream();
    stage.under.time.advance(15_000);
    await eventually(() => pings === 1);
    // What is sent to it says nothing about whether it is still there.
    sink.write(eventOf(id(1), 'task.started'));
    stage.under.time.advance(15_000);
    expect((await silent.closed).code).toBe(1006);
    await eventually(() => stage.under.gateway.streams[0]?.closed === true);
  });

  it('is told apart from one that does', async () => {
    const client = await stage.open();
    for (let round = 0; round < 4; round += 1) {
      const pinged = new Promise((resolve) => client.socket.once('ping', resolve));
      stage.under.time.advance(15_000);
      await pinged;
      await client.ask({ type: 'ping', id: `p${round}` });
    }
    expect(client.ofType('heartbeat').length).toBeGreaterThan(0);
  });
});

describe('a client that does not read', () => {
  it('is closed with 4408 at the byte cap, and nobody else is', async () => {
    const slow = await stage.open(TASK_STREAM);
    const slowStream = await stage.stream(1);
    slow.socket.pause();
    const quick = await stage.open(TASK_STREAM);
    const quickStream = await stage.stream(2);
    let unsent = 0;
    for (let at = 1; !slowStream.closed || unsent === 0; at += 1) {
      unsent = Math.max(unsent, slowStream.sink.write(big(at)));
      if (slowStream.sink.write(eventOf(id(at), 'agent.message')) === 0 && unsent > 128 * 1024) break;
      await turn();
    }
    expect(unsent).toBeLessThanOrEqual(256 * 1024);
    quickStream.sink.write(eventOf(id(1), 'task.started'));
    await quick.until(({ event }) => event?.id === id(1));
    slow.socket.resume();
    expect((await slow.closed).code).toBe(4408);
    expect(slowStream.closed).toBe(true);
    expect(quickStream.closed).toBe(false);
    const received = slow.events.map(({ event }) => event?.id);
    expect(received.length).toBeGreaterThan(0);
    expect(received).toEqual([...received].sort());
  });

  it('gets a frame larger than the cap when nothing else waits', async () => {
    const client = await stage.open(TASK_STREAM);
    const { sink } = await stage.stream();
    sink.write(eventOf(id(1), 'agent.message', { text: 'y'.repeat(512 * 1024) }));
    await client.until(({ event }) => event?.id === id(1));
    expect(client.socket.readyState).toBe(client.socket.OPEN);
  });

  it('holds back history until it has read half, for every subscription of the socket', async () => {
    const client = await stage.open();
    await client.ask({ type: 'subscribe', id: 'a', stream: 'task', task_id: 'task_1' });
    await client.ask({ type: 'subscribe', id: 'b', stream: 'task', task_id: 'task_2' });
    const [one, two] = [await stage.stream(1), await stage.stream(2)];
    client.socket.pause();
    for (let at = 1; one.sink.write(big(at)) < 192 * 1024; at += 1) await turn();
    let drained = 0;
    const waiting = [one, two].map(({ sink }) =>
      sink.drained().then(() => {
        drained += 1;
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(drained).toBe(0);
    client.socket.resume();
    await Promise.all(waiting);
    expect(two.sink.write(eventOf(id(99), 'agent.message'))).toBeLessThan(128 * 1024);
  });

  it('does not hold back anything once it is gone', async () => {
    const client = await stage.open(TASK_STREAM);
    const { sink } = await stage.stream();
    client.socket.pause();
    for (let at = 1; sink.write(big(at)) < 192 * 1024; at += 1) await turn();
    const waiting = sink.drained();
    client.socket.terminate();
    await waiting;
    expect(sink.write(big(99))).toBe(0);
  });

  it('is closed as well when it asks without reading the answers', async () => {
    stage.under.gateway.answer = () => ({
      status: 200,
      body: { kind: 'json', value: { text: 'x'.repeat(1024 * 1024) } },
    });
    const client = await stage.open();
    client.socket.pause();
    for (let at = 0; at < 20; at += 1) client.send({ type: 'cancel', task_id: 'task_1' });
    await eventually(() => stage.under.gateway.calls.length > 1);
    client.socket.resume();
    expect((await client.closed).code).toBe(4408);
  });
});

describe('a shutdown', () => {
  it('ends every subscription, says when to come back, and closes with 1001', async () => {
    const client = await stage.open();
    await client.ask({ type: 'subscribe', id: 'a', stream: 'task', task_id: 'task_1' });
    stage.under.gateway.cursor = id(7);
    expect(await stage.under.surface.close({ graceMs: 5_000 })).toBe(true);
    expect(await client.closed).toEqual({ code: 1001, reason: 'shutdown: retry after 1000 ms' });
    expect(client.ofType('end')).toEqual([
      { type: 'end', subscription: 'task:task_1', reason: 'draining', cursor: id(7), retry_after_ms: 1000 },
    ]);
  });

  it('answers the commands under way first, and takes no others', async () => {
    let release = () => {};
    stage.under.gateway.answer = () =>
      new Promise((resolve) => {
        release = () => resolve({ status: 200, body: { kind: 'none' } });
      });
    const client = await stage.open();
    client.send({ type: 'cancel', id: 'before', task_id: 'task_1' });
    await eventually(() => stage.under.gateway.calls.length === 1);
    const closing = stage.under.surface.close({ graceMs: 5_000 });
    const after = await client.ask({ type: 'cancel', id: 'after', task_id: 'task_1' });
    expect(after.error?.code).toBe('service_unavailable');
    release();
    await client.until(({ id: asked, type }) => asked === 'before' && type === 'ack');
    expect((await client.closed).code).toBe(1001);
    expect(await closing).toBe(true);
  });

  it('cuts a client that does not answer in time', async () => {
    const client = await stage.open();
    client.socket.pause();
    expect(await stage.under.surface.close({ graceMs: 20 })).toBe(false);
    await eventually(() => stage.under.surface.openStreams() === 0);
  });
});
