import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentDescription, Frame, Move, ProtocolClient, Turn } from '#protocol-client.ts';
import type { Task } from '#resources/task/schema.ts';
import { userText } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';

/** An agent in this process that names its task late and keeps what it was told. */
class SlowToName implements ProtocolClient {
  readonly route = 'a2a:slow';
  readonly materialPrefix = 'a2a:slow';
  readonly told: string[] = [];
  readonly canceled: unknown[] = [];
  nameAfterMs = 0;

  async *run(turn: Turn, signal: AbortSignal): AsyncGenerator<Frame> {
    const part = turn.message?.parts[0];
    this.told.push(part?.type === 'text' ? part.text : '');
    await new Promise((resolve) => setTimeout(resolve, this.nameAfterMs));
    yield { kind: 'message', body: { bound: 'remote-1' } };
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async *cancel(turn: Turn): AsyncGenerator<Frame> {
    this.canceled.push(turn.binding);
    yield { kind: 'message', body: { canceled: true } };
  }

  interpret(frame: Frame): Move[] {
    if (frame.kind !== 'message') return [];
    const body = frame.body as { bound?: string; canceled?: boolean };
    if (body.canceled) return [{ type: 'status', to: 'CANCELED' }];
    return [{ type: 'bind', binding: { task_id: body.bound ?? '' } }];
  }

  describe(): AgentDescription | undefined {
    return undefined;
  }

  start(): void {}

  async close(): Promise<void> {}
}

describe('what is said to a task while its agent works', () => {
  const agent = new SlowToName();
  let gateway: TestGateway;
  beforeAll(async () => {
    const config = { limits: { cancel_wait_ms: 200 } };
    gateway = await startTestGateway({ extraClients: [agent], config });
  });
  afterAll(() => gateway.close());

  it('[S9-04] every interrupt reaches the agent once, in order, however close together they come', async () => {
    agent.nameAfterMs = 20;
    const task = await gateway.client.submit('begin');
    await bound(task.id);
    const words = ['one', 'two', 'three', 'four'];
    for (const text of words) {
      const body = { kind: 'interrupt', message: userText(text) };
      await gateway.client.post(`/v1/tasks/${task.id}/messages`, body);
    }
    await eventually(() => agent.told.length === 5);
    expect(agent.told).toEqual(['begin', ...words]);
    await gateway.client.post(`/v1/tasks/${task.id}/cancel`);
  });

  it('[C4] an agent that names its task after the cancel is told then', async () => {
    agent.nameAfterMs = 600;
    agent.canceled.length = 0;
    const task = await gateway.client.submit('begin late');
    const canceled = await gateway.client.post<Task>(`/v1/tasks/${task.id}/cancel`);
    expect(canceled.status).toBe('CANCELED');
    expect(agent.canceled).toEqual([]);
    await eventually(() => agent.canceled.length > 0);
    expect(agent.canceled).toEqual([{ task_id: 'remote-1' }]);
    expect((await gateway.client.get<Task>(`/v1/tasks/${task.id}`)).status).toBe('CANCELED');
  });

  async function bound(taskId: string): Promise<void> {
    const kind = 'vendor.harn_gateway.upstream_bound';
    for (;;) {
      const events = await gateway.client.events(`/v1/tasks/${taskId}/events`);
      if (events.some(({ event }) => event === kind)) return;
    }
  }
});

async function eventually(holds: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 500 && !holds(); attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(holds()).toBe(true);
}
