import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Frame, Move } from '#protocol-client.ts';
import type { Task } from '#resources/task/schema.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { MovingClient } from '../../harness/moving-client.ts';

/** An agent that says nothing more after its moves, and does not end either. */
class SilentClient extends MovingClient {
  override async *run(turn: Parameters<MovingClient['run']>[0], signal?: AbortSignal): AsyncIterable<Frame> {
    for await (const frame of super.run(turn)) if (frame.kind !== 'end') yield frame;
    await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
  }
}

const UNKNOWN_STEP = { type: 'tool', tool: { step: 'invented', toolCallId: 'call-1', name: 'look' } };
const QUESTION: Move = {
  type: 'permission',
  permission: { upstreamId: 'q1', source: 'hitl', kind: 'authorization', message: 'May I?' },
};

describe('a turn with a frame that cannot be applied', () => {
  const agent = new SilentClient();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ extraClients: [agent] });
  });
  afterAll(() => gateway.close());

  const submit = async (moves: readonly unknown[]) => {
    const session = await gateway.client.session();
    const part = { type: 'json', value: { moves }, visibility: 'public' };
    return gateway.client.post<Task>(`/v1/sessions/${session.id}/tasks`, {
      input: { role: 'user', parts: [part] },
      metadata: { route: agent.route },
    });
  };

  it.each([
    ['while it works', [UNKNOWN_STEP], []],
    ['while it asks', [QUESTION, UNKNOWN_STEP], ['denied']],
  ])('ends its task at once %s, though the agent goes on', async (_, moves, asked) => {
    const { id } = await submit(moves);
    const task = await gateway.client.until(id, 'FAILED');
    expect(task).toMatchObject({ status: 'FAILED' });
    const events = await gateway.client.events(`/v1/tasks/${id}/events`);
    expect(events.filter(({ event }) => event === 'task.failed')).toHaveLength(1);
    const requests = await gateway.client.get<{ data: { status: string }[] }>(
      `/v1/permission-requests?task_id=${id}`,
    );
    expect(requests.data.map(({ status }) => status)).toEqual(asked);
  });
});
