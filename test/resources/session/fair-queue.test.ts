import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { taskFrame } from '../../harness/a2a-words.ts';
import { type TestClient, userText } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import type { Peer } from '../../harness/peers/peer.ts';
import { stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';

const MANY = 60;

describe('the queue of several tenants', () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let agent: Peer;
  let gateway: TestGateway;
  beforeAll(async () => {
    agent = await startScriptedAgent({
      SendStreamingMessage: () => stream(taskFrame('WORKING'), { until: gate }, taskFrame('COMPLETED')),
    });
    gateway = await startTestGateway({
      keys: [
        { actor: 'big', tenant: 'big', workspaces: ['workspace_big'] },
        { actor: 'small', tenant: 'small', workspaces: ['workspace_small'] },
      ],
      config: {
        upstreams: { a2a: [{ id: 'shop', card: agent.cardUrl }] },
        tenants: [{ id: 'big' }, { id: 'small' }],
        workspaces: [
          { id: 'workspace_big', tenant: 'big' },
          { id: 'workspace_small', tenant: 'small' },
        ],
        limits: { max_running_tasks: 1, max_queued_tasks: MANY, accept_wait_ms: 0 },
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
  });

  const as = (actor: string): TestClient => gateway.clients[actor] ?? gateway.client;
  async function submit(actor: string) {
    const { id } = await as(actor).post<{ id: string }>('/v1/sessions', {
      workspace_id: `workspace_${actor}`,
    });
    return as(actor).call<Task>('POST', `/v1/sessions/${id}/tasks`, { body: { input: userText('go') } });
  }

  it('starts the first task of a tenant before those that another one has waiting, and refuses it no place', async () => {
    const running = (await submit('big')).body;
    await as('big').until(running.id, 'WORKING');
    const many: Task[] = [];
    for (let n = 0; n < MANY; n += 1) many.push((await submit('big')).body);
    // The queue is full for who filled it, and for nobody else.
    expect((await submit('big')).status).toBe(429);
    const { status, body } = await submit('small');
    expect([status, body.status]).toEqual([202, 'SUBMITTED']);
    open();
    const done = await as('small').until(body.id, 'COMPLETED');
    for (const { id } of many) await as('big').until(id, 'COMPLETED');
    const ended = await Promise.all(many.map(({ id }) => as('big').get<Task>(`/v1/tasks/${id}`)));
    const before = ended.filter(({ started_at }) => (started_at ?? '') < (done.started_at ?? ''));
    expect(before).toEqual([]);
  });
});
