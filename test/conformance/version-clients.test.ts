import { beforeAll, describe, expect, it } from 'vitest';
import { VERSION_HEADER } from '#protocol/versions.ts';
import type { Message } from '#resources/message/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { type TestClient, userText } from '../harness/client.ts';
import { EventStreamClient } from '../harness/event-stream.ts';
import { WsTestClient } from '../harness/ws-client.ts';
import { stageOf } from './stage.ts';

const NEWER = 'agents-protocol-2026-10-11';

describe('a client of each version and one session between them', () => {
  const stage = stageOf();
  let newer: TestClient;
  beforeAll(async () => {
    newer = await stage.speaking(NEWER);
  });
  const both = () => [stage.client, newer] as const;
  /** What each of them reads, to the byte. */
  const texts = async (path: string) =>
    Promise.all(both().map(async (client) => (await client.call('GET', path)).text));

  it('[VER-ONE-01] one begins, the other goes on, and both read the same', async () => {
    const [older] = both();
    const made = await newer.post<Session>('/v1/sessions', {
      workspace_id: 'workspace_default',
      mode_id: 'ask',
      model_policy: { provider: 'p', model: 'm' },
    });
    const asking = await older.submit('ask', made.id);
    await newer.until(asking.id, 'INPUT_REQUIRED');
    const answered = await newer.answer(asking.id, 'red');
    await older.until(asking.id, 'COMPLETED');
    await older.post(`/v1/sessions/${made.id}/messages`, { message: userText('and then') }, `k-${made.id}`);
    const next = await newer.submit('hello', made.id);
    await older.until(next.id, 'COMPLETED');
    for (const path of [
      `/v1/sessions/${made.id}`,
      `/v1/sessions/${made.id}/messages`,
      `/v1/sessions/${made.id}/tasks`,
      `/v1/sessions/${made.id}/events?limit=200`,
      `/v1/sessions/${made.id}/transcript`,
      `/v1/messages/${answered.id}`,
      `/v1/tasks/${next.id}`,
      `/v1/tasks/${next.id}/receipts`,
    ]) {
      const [one, other] = await texts(path);
      expect(other).toBe(one);
    }
    const { data } = await older.get<{ data: Message[] }>(`/v1/sessions/${made.id}/messages`);
    expect(data.map(({ role, parts: [part] }) => [role, part?.type === 'text' ? part.text : ''])).toEqual(
      expect.arrayContaining([
        ['user', 'red'],
        ['user', 'and then'],
        ['user', 'hello'],
      ]),
    );
    expect(await older.get<Session>(`/v1/sessions/${made.id}`)).toMatchObject({
      mode_id: 'ask',
      model_policy: { provider: 'p', model: 'm' },
    });
  });

  it('[VER-ONE-01] the bytes of events are the same on every stream', async () => {
    const { id, session_id } = await newer.submit('stream 3');
    await newer.until(id, 'COMPLETED');
    const path = `/v1/tasks/${id}/stream`;
    const streams = await Promise.all(
      both().map(async (client) => {
        const headers = { authorization: `Bearer ${client.key}`, [VERSION_HEADER]: client.version };
        return (await fetch(client.url + path, { headers })).text();
      }),
    );
    expect(streams[1]).toBe(streams[0]);
    expect(streams[0]).toContain('task.completed');
    const sockets = await Promise.all(
      ['harn.v1', 'harn.v1.2026-10-11'].map(async (name) => {
        const protocols = [name, `harn.bearer.${newer.key}`];
        const socket = await WsTestClient.open(newer.url, '/v1/ws', { bare: true, protocols });
        await socket.ask({ type: 'subscribe', id: 's', stream: 'session', session_id });
        await socket.until(
          ({ event }) => event?.event === 'receipt.issued' || event?.event === 'task.completed',
        );
        socket.socket.close();
        return socket.events.map(({ event }) => event).filter((event) => event?.task_id === id);
      }),
    );
    const shared = Math.min(...sockets.map((events) => events.length));
    expect(shared).toBeGreaterThan(3);
    expect(sockets[1]?.slice(0, shared)).toEqual(sockets[0]?.slice(0, shared));
  });

  it('[VER-ONE-01] each follows live what the other does', async () => {
    for (const [doing, following] of [both(), [...both()].reverse()] as [TestClient, TestClient][]) {
      const { id } = await doing.session();
      const stream = await EventStreamClient.open(following, `/v1/sessions/${id}/events/stream`);
      const task = await doing.submit('hello', id);
      await stream.untilEvent('task.completed');
      const seen = stream.events;
      await stream.close();
      expect(seen.map(({ resource }) => resource.id)).toContain(task.id);
      const read = await following.get<Task>(`/v1/tasks/${task.id}`);
      expect(read).toEqual(await doing.get<Task>(`/v1/tasks/${task.id}`));
    }
  });
});
