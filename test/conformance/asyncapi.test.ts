import { describe, expect, it } from 'vitest';
import { AsyncApiCheck } from '../harness/asyncapi-check.ts';
import { EventStreamClient } from '../harness/event-stream.ts';
import { SocketRoom } from './socket-room.ts';
import { stageOf } from './stage.ts';

/** What the sample agent is asked, for streams that differ: answers, questions, failures, artifacts. */
const WORDS = ['hello', 'stream 3', 'ask', 'login', 'refuse', 'fail', 'file'];

describe('the AsyncAPI document that is served', () => {
  const stage = stageOf({
    keys: [
      {
        actor: 'reader',
        scopes: ['events:read', 'tasks:read', 'sessions:read'],
        workspaces: ['workspace_default'],
      },
    ],
  });
  const sockets = new SocketRoom(stage);
  const served = async () => new AsyncApiCheck((await stage.client.call('GET', '/asyncapi.json')).body);

  it.each(WORDS)('describes every frame of the streams of a task: %s', async (words) => {
    const check = await served();
    const task = await stage.client.submit(words);
    await stage.client.until(task.id, 'COMPLETED', 'FAILED', 'INPUT_REQUIRED', 'AUTH_REQUIRED');
    await stage.client.call('POST', `/v1/tasks/${task.id}/cancel`, { body: {} });
    await stage.client.call('POST', `/v1/sessions/${task.session_id}/close`);
    for (const client of [stage.client, stage.as('reader')])
      for (const path of [`/v1/tasks/${task.id}/stream`, `/v1/sessions/${task.session_id}/events/stream`]) {
        const stream = await EventStreamClient.open(client, path);
        await stream.ended;
        expect(stream.events.length).toBeGreaterThan(3);
        expect(stream.events.flatMap((event) => check.ofEvent(event))).toEqual([]);
        expect(stream.blocks.filter(({ data, event }) => data !== undefined && event === undefined)).toEqual(
          [],
        );
      }
  });

  it('describes the error with which a stream ends', async () => {
    const { id } = await stage.client.submit('hello');
    const stream = await EventStreamClient.open(
      stage.client,
      `/v1/tasks/${id}/stream`,
      '00000999999999999999',
    );
    await stream.ended;
    const [error] = stream.blocks.filter(({ event }) => event === 'error');
    expect((await served()).of('stream.error', JSON.parse(error?.data ?? '{}'))).toEqual([]);
  });

  it('describes the frames of a socket', async () => {
    const check = await served();
    const socket = await sockets.enter();
    const task = await stage.client.submit('stream 2');
    await socket.ask({ type: 'subscribe', id: 'a', stream: 'task', task_id: task.id });
    await socket.until(({ type }) => type === 'end');
    await socket.ask({ type: 'ping', id: 'b' });
    await socket.ask({ type: 'cancel', id: 'c', task_id: 'task_none' });
    const types = new Set(socket.frames.map(({ type }) => type));
    expect(types).toEqual(new Set(['ack', 'event', 'end', 'error']));
    expect(socket.frames.flatMap((frame) => check.of(`server.${frame.type}`, frame))).toEqual([]);
    expect(
      socket.sent.flatMap((frame) => check.of(`client.${(frame as { type: string }).type}`, frame)),
    ).toEqual([]);
  });
});
