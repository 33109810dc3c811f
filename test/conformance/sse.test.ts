import { describe, expect, it } from 'vitest';
import { signal } from '../harness/a2a-stage.ts';
import { statusFrame, taskFrame } from '../harness/a2a-words.ts';
import { EventStreamClient } from '../harness/event-stream.ts';
import { type Answer, stream as sse } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { stageOf } from './stage.ts';

const FRAME = /^id: (\d{20})\nevent: ([\w.]+)\ndata: (\{.*\})$/;

describe('event streams', () => {
  const script: Record<string, Answer> = {};
  const stage = stageOf({
    agents: { scripted: () => startScriptedAgent(script) },
    config: { limits: { heartbeat_interval_ms: 100 }, routing: { default: 'a2a:sample' } },
    keys: [{ actor: 'blind', scopes: ['tasks:read'] }],
  });
  const open = (path: string, after?: string) => EventStreamClient.open(stage.client, path, after);
  const held = async () => {
    const free = signal();
    script['SendStreamingMessage'] = () =>
      sse(taskFrame('WORKING'), { until: free.given }, statusFrame('COMPLETED', 'Ok.'));
    const task = await stage.client.submit('go', undefined, { route: 'a2a:scripted' });
    return { task, free };
  };
  const done = async (text: string) => {
    const task = await stage.client.submit(text);
    return stage.client.until(task.id, 'COMPLETED');
  };

  it('[CORE-SSE-01] [C25] every frame is id, event and data with LF ends; the id is that of the event', async () => {
    const task = await done('stream 3');
    const stream = await open(`/v1/tasks/${task.id}/stream`);
    await stream.ended;
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.text).not.toContain('\r');
    expect(stream.text.endsWith('\n\n')).toBe(true);
    const blocks = stream.text.split('\n\n').slice(0, -1);
    for (const block of blocks) {
      const [, id, kind, data] = FRAME.exec(block) ?? [];
      expect(JSON.parse(data ?? 'null')).toMatchObject({ id, event: kind, object: 'event' });
    }
    expect(stream.text.startsWith('id: ')).toBe(true);
  });

  it('[C25] a stream of a finished task is its history, byte for byte that of the range, and then ends', async () => {
    const task = await done('stream 3');
    const stream = await open(`/v1/tasks/${task.id}/stream`);
    await stream.ended;
    expect(stream.events).toEqual(await stage.client.events(`/v1/tasks/${task.id}/events`));
    const range = (await stage.client.call('GET', `/v1/tasks/${task.id}/events?limit=200`)).text;
    for (const { data } of stream.blocks) expect(range).toContain(data);
  });

  it('[C25] [CORE-EVT-01] history runs over into live events without gap or repetition, and ends with the receipt of the task', async () => {
    const { task, free } = await held();
    const early = await open(`/v1/tasks/${task.id}/stream`);
    await early.untilEvent('vendor.harn_gateway.upstream_bound');
    free.give();
    await early.ended;
    const all = await stage.client.events(`/v1/tasks/${task.id}/events`);
    expect(all.slice(-2).map(({ event }) => event)).toEqual(['task.completed', 'receipt.issued']);
    expect(early.events).toEqual(all);
  });

  it('[CORE-SSE-02] [C25] Last-Event-ID goes on after that event, wherever it was', async () => {
    const task = await done('stream 3');
    const all = await stage.client.events(`/v1/tasks/${task.id}/events`);
    for (const [at, { id }] of all.slice(0, -1).entries()) {
      const stream = await open(`/v1/tasks/${task.id}/stream`, id);
      await stream.ended;
      expect(stream.events.map((event) => event.id)).toEqual(all.slice(at + 1).map((event) => event.id));
      expect(stream.text.startsWith(':')).toBe(true);
    }
    const nothingLeft = await open(`/v1/tasks/${task.id}/stream`, all.at(-1)?.id);
    await nothingLeft.ended;
    expect(nothingLeft.events).toEqual([]);
  });

  it('[CORE-SSE-02] a session stream shows every task of the session and ends when it closes', async () => {
    const { id } = await stage.client.session();
    const stream = await open(`/v1/sessions/${id}/events/stream`);
    await stream.untilEvent('session.created');
    const task = await stage.client.submit('hello', id);
    await stage.client.until(task.id, 'COMPLETED');
    await stage.client.post(`/v1/sessions/${id}/close`);
    await stream.ended;
    expect(stream.events).toEqual(await stage.client.events(`/v1/sessions/${id}/events`));
    expect(stream.events.at(-1)?.event).toBe('session.closed');
  });

  it('[C25] the stream of everything is live from now on, and goes on from a cursor', async () => {
    const before = await stage.client.events('/v1/events');
    const { id } = await stage.client.session();
    const all = await open('/v1/events/stream');
    const one = await open(`/v1/events/stream?session_id=${id}`);
    await stage.client.submit('hello', id);
    await one.untilEvent('task.completed');
    await all.untilEvent('task.completed');
    expect(all.events[0]?.event).toBe('task.submitted');
    expect(new Set(one.events.map((event) => event['session_id']))).toEqual(new Set([id]));
    const resumed = await open('/v1/events/stream', before.at(-1)?.id);
    await resumed.untilEvent('task.completed');
    expect(resumed.events[0]).toMatchObject({ event: 'session.created', session_id: id });
    for (const stream of [all, one, resumed]) await stream.close();
  });

  it('[C25] a quiet stream gets heartbeats that dispatch nothing and carry the cursor', async () => {
    const { task, free } = await held();
    const stream = await open(`/v1/tasks/${task.id}/stream`);
    await stream.until(
      'two heartbeats',
      ({ blocks }) => blocks.filter(({ comments }) => comments.length > 0).length >= 2,
    );
    const cursors = stream.blocks.filter(({ id, data }) => id !== undefined && data === undefined);
    const last = stream.events.at(-1)?.id ?? '';
    expect(cursors.length).toBeGreaterThan(0);
    for (const { id = '' } of cursors) expect(id >= last).toBe(true);
    free.give();
    await stream.ended;
    const resumed = await open(`/v1/tasks/${task.id}/stream`, cursors.at(-1)?.id);
    await resumed.ended;
    expect(resumed.events.map(({ event }) => event)).toContain('task.completed');
  });

  it('[C19] [CORE-SSE-03] a cursor that cannot be served is told in one error frame, and the stream ends', async () => {
    const one = await done('hello');
    const two = await done('hello');
    const [foreign] = await stage.client.events(`/v1/tasks/${two.id}/events`);
    for (const cursor of [foreign?.id ?? '', '9'.repeat(10).padStart(20, '0')]) {
      const stream = await open(`/v1/tasks/${one.id}/stream`, cursor);
      await stream.ended;
      expect(stream.status).toBe(200);
      const told = stream.blocks.filter(({ data }) => data !== undefined);
      expect(told.map(({ event }) => event)).toEqual(['error']);
      expect(JSON.parse(told[0]?.data ?? '')).toMatchObject({
        error: { code: 'cursor_expired', type: 'not_found_error' },
      });
    }
  });

  it('[C19] [CORE-AUTH-03] what is refused before the stream begins is an ordinary error', async () => {
    const task = await done('hello');
    const malformed = await stage.client.call('GET', `/v1/tasks/${task.id}/stream`, {
      headers: { 'last-event-id': 'abc' },
    });
    expect(malformed.status).toBe(400);
    expect((await stage.client.call('GET', '/v1/tasks/task_absent/stream')).status).toBe(404);
    expect((await stage.as('blind').call('GET', `/v1/tasks/${task.id}/stream`)).status).toBe(403);
  });
});
