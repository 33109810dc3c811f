import { describe, expect, it } from 'vitest';
import { ProtocolError } from '#protocol/errors.ts';
import type { WsTestClient } from '../../harness/ws-client.ts';
import { eventually } from '../surfaces/surface-under-test.ts';
import { eventOf, SocketStage, TASK_STREAM } from './socket-stage.ts';

const stage = new SocketStage();
const FIRST = '00000000000000000001';
const SECOND = '00000000000000000002';
const THIRD = '00000000000000000003';

async function following(client: WsTestClient, count = 1) {
  const ack = await client.ask({
    type: 'subscribe',
    id: `s${count}`,
    stream: 'task',
    task_id: `task_${count}`,
  });
  return { ack, stream: await stage.stream(count) };
}

describe('a subscription of /v1/ws', () => {
  it('is the stream operation with the cursor as its resume point, acked before its first event', async () => {
    stage.under.gateway.beforeSubscribe = (sink) => {
      sink.write(eventOf(FIRST, 'task.submitted'), true);
    };
    const client = await stage.open();
    const frame = { type: 'subscribe', id: 's', stream: 'task', task_id: 'task_1', cursor: FIRST };
    const ack = await client.ask(frame);
    const { id, call } = await stage.stream();
    expect(id).toBe('streamTaskEvents');
    expect(call).toMatchObject({ path: { task_id: 'task_1' }, query: {}, lastEventId: FIRST });
    expect(ack).toMatchObject({ type: 'ack', subscription: 'task:task_1', cursor: FIRST, resource: null });
    await client.until(({ type }) => type === 'event');
    expect(client.frames.map(({ type }) => type)).toEqual(['ack', 'event']);
  });

  it.each([
    [{ stream: 'session', session_id: 'session_1' }, 'session:session_1', {}],
    [{ stream: 'events' }, 'events', {}],
    [
      { stream: 'events', task_id: 'task_1', workspace_id: 'ws 1' },
      'events?workspace_id=ws%201&task_id=task_1',
      { task_id: 'task_1', workspace_id: 'ws 1' },
    ],
  ])('%j is called %s', async (target, name, query) => {
    const client = await stage.open();
    expect((await client.ask({ type: 'subscribe', id: 's', ...target })).subscription).toBe(name);
    expect((await stage.stream()).call.query).toEqual(query);
  });

  it('carries the event as it is stored, and says whether it is history', async () => {
    const client = await stage.open();
    const { stream } = await following(client);
    const past = eventOf(FIRST, 'task.submitted');
    stream.sink.write(past, true);
    stream.sink.write(eventOf(SECOND, 'task.started'), false);
    await client.until(({ event }) => event?.id === SECOND);
    expect(client.texts[1]).toBe(
      `{"type":"event","subscription":"task:task_1","replayed":true,"event":${past.bytes}}`,
    );
    expect(client.events.map(({ replayed }) => replayed)).toEqual([true, false]);
  });

  it('stands beside others on one socket, and the same stream on another', async () => {
    const [one, other] = [await stage.open(), await stage.open()];
    const { stream: first } = await following(one, 1);
    const { stream: second } = await following(one, 2);
    await other.ask({ type: 'subscribe', id: 's', stream: 'task', task_id: 'task_1' });
    const third = await stage.stream(3);
    const frame = eventOf(FIRST, 'task.started');
    for (const { sink } of [first, third]) sink.write(frame);
    second.sink.write(eventOf(SECOND, 'task.started'));
    await one.until(({ event }) => event?.id === SECOND);
    await other.until(({ event }) => event?.id === FIRST);
    expect(one.events.map(({ subscription }) => subscription)).toEqual(['task:task_1', 'task:task_2']);
    expect(other.events.map(({ subscription }) => subscription)).toEqual(['task:task_1']);
  });

  it('of the same stream is refused while the first one stands', async () => {
    const client = await stage.open();
    await following(client);
    const again = await client.ask({ type: 'subscribe', id: 'again', stream: 'task', task_id: 'task_1' });
    expect(again.error?.code).toBe('conflict');
    expect(stage.under.gateway.streams).toHaveLength(1);
  });

  it('ends when the client gives it up, with the cursor to resume from', async () => {
    const client = await stage.open();
    const { stream } = await following(client);
    stage.under.gateway.cursor = SECOND;
    const ack = await client.ask({ type: 'unsubscribe', id: 'u', subscription: 'task:task_1' });
    expect(ack).toMatchObject({ type: 'ack', subscription: 'task:task_1', cursor: SECOND });
    expect(stream.closed).toBe(true);
    await client.ask({ type: 'subscribe', id: 'again', stream: 'task', task_id: 'task_1', cursor: SECOND });
    expect((await stage.stream(2)).call.lastEventId).toBe(SECOND);
  });

  it('is the only one of its name, also when an earlier one failed after it was given up', async () => {
    let refuse = () => {};
    stage.under.gateway.beforeSubscribe = (_, { lastEventId }) => {
      if (lastEventId === undefined) return undefined;
      const error = new ProtocolError('cursor_expired', 'Start over.');
      return new Promise((_resolve, reject) => {
        refuse = () => reject(error);
      });
    };
    const client = await stage.open();
    const frame = { type: 'subscribe', stream: 'task', task_id: 'task_1' };
    client.send({ ...frame, id: 'old', cursor: FIRST });
    await client.ask({ type: 'unsubscribe', id: 'u', subscription: 'task:task_1' });
    expect((await client.ask({ ...frame, id: 'new' })).type).toBe('ack');
    refuse();
    await client.until(({ id }) => id === 'old');
    expect((await client.ask({ ...frame, id: 'again' })).error?.code).toBe('conflict');
    client.socket.close();
    const { streams } = stage.under.gateway;
    await eventually(() => streams.length === 1 && streams[0]?.closed === true);
  });

  it('that is complete is told so; the socket stays open', async () => {
    const client = await stage.open();
    const { stream } = await following(client);
    stage.under.gateway.cursor = THIRD;
    stream.sink.end('complete');
    expect(await client.until(({ type }) => type === 'end')).toEqual({
      type: 'end',
      subscription: 'task:task_1',
      reason: 'complete',
      cursor: THIRD,
      retry_after_ms: null,
    });
    expect((await client.ask({ type: 'ping', id: 'p' })).type).toBe('ack');
  });

  it('that fails is an error and an end of that subscription only', async () => {
    const client = await stage.open();
    const { stream } = await following(client);
    stream.sink.end('failed', new ProtocolError('cursor_expired', 'Start over.'));
    expect(await client.until(({ type }) => type === 'end')).toMatchObject({ reason: 'failed' });
    expect(client.ofType('error')[0]).toMatchObject({ id: null, subscription: 'task:task_1' });
    expect((await client.ask({ type: 'ping', id: 'p' })).type).toBe('ack');
  });

  it('with an expired cursor is an error frame; the socket stays open and the stream can be read anew', async () => {
    stage.under.gateway.beforeSubscribe = (_, call) => {
      if (call.lastEventId !== undefined) throw new ProtocolError('cursor_expired', 'Start over.');
    };
    const client = await stage.open();
    const frame = { type: 'subscribe', stream: 'task', task_id: 'task_1' };
    expect((await client.ask({ ...frame, id: 'old', cursor: FIRST })).error?.code).toBe('cursor_expired');
    expect((await client.ask({ ...frame, id: 'new' })).type).toBe('ack');
  });

  it('whose credential is revoked closes the socket with 4401', async () => {
    const client = await stage.open();
    const { stream } = await following(client);
    stream.sink.end('unauthenticated', new ProtocolError('unauthenticated', 'Your key was revoked.'));
    expect((await client.closed).code).toBe(4401);
    expect(client.frames.slice(1).map(({ type }) => type)).toEqual(['error', 'end']);
  });

  it('ends with the socket', async () => {
    const client = await stage.open();
    const { stream } = await following(client);
    client.socket.close();
    await eventually(() => stream.closed);
    expect(stream.sink.write(eventOf(FIRST, 'task.started'))).toBe(0);
    await eventually(() => stage.under.surface.openStreams() === 0);
    expect(stage.under.time.running).toBe(0);
    const line = stage.under.log.find(({ message }) => message === 'socket closed');
    expect(line?.fields).toMatchObject({ route: '/v1/ws', close_code: 1005 });
  });

  it('is one of 256 at most', async () => {
    const client = await stage.open();
    for (let at = 0; at < 256; at += 1) {
      client.send({ type: 'subscribe', stream: 'task', task_id: `task_${at}` });
    }
    const over = await client.ask({ type: 'subscribe', id: 'over', stream: 'events' });
    expect(over.error?.code).toBe('rate_limited');
    expect(stage.under.gateway.streams).toHaveLength(256);
  });
});

describe('the socket of a stream path', () => {
  it('follows its stream without being asked and closes with it', async () => {
    const client = await stage.open(TASK_STREAM);
    const { sink } = await stage.stream();
    sink.write(eventOf(FIRST, 'task.completed'));
    sink.end('complete');
    expect((await client.closed).code).toBe(1000);
    expect(client.frames.map(({ type }) => type)).toEqual(['event', 'end']);
    expect(client.frames[0]?.subscription).toBe('task:task_1');
  });

  it('opens with the first event when that comes before the subscription stands', async () => {
    stage.under.gateway.beforeSubscribe = (sink) => {
      sink.write(eventOf(FIRST, 'task.submitted'), true);
    };
    const client = await stage.open(TASK_STREAM);
    await client.until(({ event }) => event?.id === FIRST);
  });

  it('takes commands, and no other subscriptions', async () => {
    const client = await stage.open(TASK_STREAM);
    expect((await client.ask({ type: 'cancel', id: 'c', task_id: 'task_1' })).type).toBe('ack');
    const more = await client.ask({ type: 'subscribe', id: 's', stream: 'task', task_id: 'task_2' });
    expect(more.error?.code).toBe('invalid_request');
    const less = await client.ask({ type: 'unsubscribe', id: 'u', subscription: 'task:task_1' });
    expect(less.error?.code).toBe('resource_not_found');
  });

  it('tells an expired cursor in an error frame and closes with 4410', async () => {
    stage.under.gateway.beforeSubscribe = () => {
      throw new ProtocolError('cursor_expired', 'Start over.');
    };
    const client = await stage.open(TASK_STREAM, { headers: { 'Last-Event-ID': FIRST } });
    expect(await client.closed).toEqual({ code: 4410, reason: 'cursor_expired' });
    expect(client.frames).toMatchObject([{ type: 'error', id: null, error: { code: 'cursor_expired' } }]);
    await eventually(() => stage.under.surface.openStreams() === 0);
  });

  it('closes with 4410 when its cursor expires while history is read', async () => {
    const client = await stage.open(TASK_STREAM);
    (await stage.stream()).sink.end('failed', new ProtocolError('cursor_expired', 'Start over.'));
    expect((await client.closed).code).toBe(4410);
    expect(client.frames.map(({ type }) => type)).toEqual(['error', 'end']);
  });

  it('closes with 1011 when the stream fails', async () => {
    const client = await stage.open(TASK_STREAM);
    (await stage.stream()).sink.end('failed', new ProtocolError('internal_error', 'It failed.'));
    expect((await client.closed).code).toBe(1011);
  });
});
