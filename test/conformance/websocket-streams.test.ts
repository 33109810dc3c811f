import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { DEFAULT_VERSION, VERSION_HEADER } from '#protocol/versions.ts';
import type { Task } from '#resources/task/schema.ts';
import { userText } from '../harness/client.ts';
import { HAS_NODES, unlessNodes } from '../harness/cluster.ts';
import { EventStreamClient } from '../harness/event-stream.ts';
import type { WsTestClient } from '../harness/ws-client.ts';
import { SocketRoom } from './socket-room.ts';
import { stageOf } from './stage.ts';

const stage = stageOf();
const room = new SocketRoom(stage);

const idsOf = (socket: WsTestClient) => socket.events.map(({ event }) => event?.id);

async function finished(text: string): Promise<{ task: Task; ids: string[] }> {
  const task = await stage.client.submit(text);
  await stage.client.until(task.id, 'COMPLETED');
  const events = await stage.client.events(`/v1/tasks/${task.id}/events`);
  return { task, ids: events.map(({ id }) => id) };
}

describe('a resumed socket', () => {
  it('[C19] [EXT-WS-04] goes on after every cursor without gap or duplicate, all of it marked as replayed', async () => {
    const { task, ids } = await finished('stream 3');
    expect(ids.length).toBeGreaterThan(5);
    for (const [at, cursor] of ids.slice(0, -1).entries()) {
      const path = `/v1/tasks/${task.id}/stream`;
      const [single, many] = [
        await room.enter(path, { headers: { 'Last-Event-ID': cursor } }),
        await room.enter(),
      ];
      many.send({ type: 'subscribe', stream: 'task', task_id: task.id, cursor });
      expect((await single.closed).code).toBe(1000);
      await many.until(({ type }) => type === 'end');
      expect(idsOf(single)).toEqual(ids.slice(at + 1));
      expect(idsOf(many)).toEqual(ids.slice(at + 1));
      expect(single.events.every(({ replayed }) => replayed === true)).toBe(true);
    }
  });

  it('[EXT-WS-01] sends the events byte for byte as SSE does, in JSON objects', async () => {
    const { task } = await finished('stream 2');
    const path = `/v1/tasks/${task.id}/stream`;
    const sse = await EventStreamClient.open(stage.client, path);
    await sse.ended;
    const socket = await room.enter(path);
    await socket.closed;
    const data = sse.blocks.flatMap((block) => block.data ?? []);
    expect(socket.texts.slice(0, -1)).toEqual(
      data.map((text) => `{"type":"event","subscription":"task:${task.id}","replayed":true,"event":${text}}`),
    );
  });

  it('loses nothing when it is cut while the task runs, and tells history from live events', async () => {
    const task = await stage.client.submit('stream 8 30');
    const first = await room.enter(`/v1/tasks/${task.id}/stream`);
    await first.until(({ replayed }) => replayed === false);
    first.socket.terminate();
    const seen = idsOf(first);
    const second = await room.enter();
    second.send({ type: 'subscribe', stream: 'task', task_id: task.id, cursor: seen.at(-1) });
    await second.until(({ type }) => type === 'end');
    const all = (await stage.client.events(`/v1/tasks/${task.id}/events`)).map(({ id }) => id);
    expect([...seen, ...idsOf(second)]).toEqual(all);
    const marks = second.events.map(({ replayed }) => replayed);
    expect(marks).toEqual([...marks].sort().reverse());
  });

  it('may be resumed on two sockets at once', async () => {
    const task = await stage.client.submit('stream 4 20');
    const sockets = [await room.enter(), await room.enter()];
    for (const socket of sockets) socket.send({ type: 'subscribe', stream: 'task', task_id: task.id });
    for (const socket of sockets) await socket.until(({ type }) => type === 'end');
    const all = (await stage.client.events(`/v1/tasks/${task.id}/events`)).map(({ id }) => id);
    expect(sockets.map(idsOf)).toEqual([all, all]);
  });

  it('[C19] with a cursor of another stream or of the future is told to start over', async () => {
    const { task } = await finished('hello');
    const { ids: foreign } = await finished('hello');
    const path = `/v1/tasks/${task.id}/stream`;
    for (const cursor of [foreign[0] ?? '', '00000000009999999999']) {
      const single = await room.enter(path, { headers: { 'Last-Event-ID': cursor } });
      expect((await single.closed).code).toBe(4410);
      expect(single.frames).toMatchObject([{ type: 'error', error: { code: 'cursor_expired' } }]);
      const many = await room.enter();
      const refused = await many.ask({
        type: 'subscribe',
        id: 's',
        stream: 'task',
        task_id: task.id,
        cursor,
      });
      expect(refused.error?.code).toBe('cursor_expired');
      expect((await many.ask({ type: 'ping', id: 'p' })).type).toBe('ack');
    }
    const many = await room.enter();
    const subscribe = { type: 'subscribe', id: 'x', stream: 'task', task_id: task.id, cursor: 'x' };
    expect((await many.ask(subscribe)).error).toMatchObject({ code: 'invalid_request', param: 'cursor' });
    await expect(room.enter(path, { headers: { 'Last-Event-ID': 'x' } })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('is asked what is still open, not what was answered before', async () => {
    const task = await stage.client.submit('ask');
    await stage.client.until(task.id, 'INPUT_REQUIRED');
    const waiting = await room.enter(`/v1/sessions/${task.session_id}/events/stream`);
    expect(await waiting.until(({ type }) => type === 'request')).toMatchObject({
      replayed: true,
      request: { kind: 'input', task_id: task.id },
    });
    await stage.client.answer(task.id, 'green');
    await stage.client.until(task.id, 'COMPLETED');
    const late = await room.enter(`/v1/sessions/${task.session_id}/events/stream`);
    await late.until(({ event }) => event?.event === 'task.completed');
    expect((await late.ask({ type: 'ping', id: 'p' })).type).toBe('ack');
    expect(late.ofType('request')).toEqual([]);
  });
});

describe('one socket for many streams', () => {
  it('delivers each in order, by name, until each ends', async () => {
    const session = await stage.client.session();
    const socket = await room.enter();
    await socket.ask({ type: 'subscribe', id: 'e', stream: 'events', session_id: session.id });
    await socket.ask({ type: 'subscribe', id: 's', stream: 'session', session_id: session.id });
    const task = await stage.client.submit('stream 2', session.id);
    await socket.ask({ type: 'subscribe', id: 't', stream: 'task', task_id: task.id });
    await socket.until(({ type, subscription }) => type === 'end' && subscription === `task:${task.id}`);
    await stage.client.post(`/v1/sessions/${session.id}/close`);
    const end = await socket.until(
      ({ type, subscription }) => type === 'end' && subscription === `session:${session.id}`,
    );
    expect(end['reason']).toBe('complete');
    const expected = await stage.client.events(`/v1/sessions/${session.id}/events`);
    for (const [name, path] of [
      [`session:${session.id}`, `/v1/sessions/${session.id}/events`],
      [`task:${task.id}`, `/v1/tasks/${task.id}/events`],
    ] as const) {
      const all = (await stage.client.events(path)).map(({ id }) => id);
      expect(
        socket.events.filter(({ subscription }) => subscription === name).map(({ event }) => event?.id),
      ).toEqual(all);
    }
    const live = socket.events.filter(
      ({ subscription }) => subscription === `events?session_id=${session.id}`,
    );
    expect(live.map(({ event }) => event?.id)).toEqual(expected.slice(1).map(({ id }) => id));
    expect(live.every(({ replayed }) => replayed === false)).toBe(true);
  });
});

const unread = unlessNodes('a socket that is not read', 'nobody knows how much two more connections hold');
describe.skipIf(HAS_NODES)(unread, () => {
  it('is closed with 4408 and resumes without loss, while others get everything', async () => {
    const session = await stage.client.session();
    const path = `/v1/sessions/${session.id}/events/stream`;
    const [slow, quick] = [await room.enter(path), await room.enter(path)];
    await slow.until(({ type }) => type === 'event');
    slow.socket.pause();
    const message = userText('x'.repeat(60_000));
    for (let round = 0; round < 20; round += 1)
      await Promise.all(
        Array.from({ length: 10 }, () =>
          stage.client.post(`/v1/sessions/${session.id}/messages`, { message }),
        ),
      );
    const all = (await stage.client.events(`/v1/sessions/${session.id}/events`)).map(({ id }) => id);
    await quick.until(({ event }) => event?.id === all.at(-1));
    expect(idsOf(quick)).toEqual(all);
    slow.socket.resume();
    // 1006 when even the close frame was not read in time.
    expect([4408, 1006]).toContain((await slow.closed).code);
    expect((await stage.client.call('GET', '/metrics')).text).toMatch(
      /^harn_streams_overflowed_total\{transport="ws"\} 1$/m,
    );
    const seen = idsOf(slow);
    expect(seen).toEqual(all.slice(0, seen.length));
    expect(seen.length).toBeLessThan(all.length);
    const resumed = await room.enter(path, { headers: { 'Last-Event-ID': seen.at(-1) ?? '' } });
    await resumed.until(({ event }) => event?.id === all.at(-1));
    expect([...seen, ...idsOf(resumed)]).toEqual(all);
  });
});

describe('a thousand sockets', () => {
  it('all get the end of the task they follow', async () => {
    const session = await stage.client.session();
    const url = `${stage.client.url.replace('http', 'ws')}/v1/sessions/${session.id}/events/stream`;
    const headers = { Authorization: `Bearer ${stage.client.key}`, [VERSION_HEADER]: DEFAULT_VERSION };
    const sockets = Array.from({ length: 1_000 }, () => new WebSocket(url, { headers }));
    const completed = sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          socket.on('message', (data) => String(data).includes('"event":"task.completed"') && resolve());
          socket.once('error', reject);
          socket.once('close', () => reject(new Error('closed')));
        }),
    );
    try {
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('open', resolve))));
      await stage.client.submit('stream 2', session.id);
      await Promise.all(completed);
    } finally {
      for (const socket of sockets) socket.removeAllListeners('close').terminate();
    }
  });
});
