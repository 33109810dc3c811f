import type { Task } from '#resources/task/schema.ts';
import { type TestClient, type TestEvent, userText } from './client.ts';

export type Run = (client: TestClient, sessionId?: string) => Promise<Task>;

/** Every behaviour of the sample agent, played to its end; resolves with the ended task. */
export const SAMPLE_RUNS: Readonly<Record<string, Run>> = {
  answer: plain('hello', 'COMPLETED'),
  echo: plain('whatever you say', 'COMPLETED'),
  stream: plain('stream 3', 'COMPLETED'),
  file: plain('file', 'COMPLETED'),
  refuse: plain('refuse', 'FAILED'),
  fail: plain('fail', 'FAILED'),
  slow: plain('slow 1', 'COMPLETED'),
  ask: answered('ask', 'INPUT_REQUIRED'),
  login: answered('login', 'AUTH_REQUIRED'),
  async denied(client, sessionId) {
    const task = await client.submit('login', sessionId);
    await client.until(task.id, 'AUTH_REQUIRED');
    const { data } = await client.get<{ data: { id: string }[] }>(
      `/v1/permission-requests?task_id=${task.id}`,
    );
    await client.post(`/v1/permission-requests/${data[0]?.id}/respond`, {
      approved: false,
      reason: 'Not today.',
    });
    return client.until(task.id, 'CANCELED');
  },
  async cancel(client, sessionId) {
    const task = await started(client, sessionId);
    await client.post(`/v1/tasks/${task.id}/cancel`, { reason: 'Enough.' });
    return client.until(task.id, 'CANCELED');
  },
  async interrupt(client, sessionId) {
    const task = await started(client, sessionId);
    await client.post(`/v1/tasks/${task.id}/messages`, { kind: 'interrupt', message: userText('stop') });
    return client.until(task.id, 'COMPLETED', 'FAILED', 'CANCELED');
  },
};

function plain(text: string, status: Task['status']): Run {
  return async (client, sessionId) => client.until((await client.submit(text, sessionId)).id, status);
}

function answered(text: string, status: Task['status']): Run {
  return async (client, sessionId) => {
    const task = await client.submit(text, sessionId);
    await client.until(task.id, status);
    await client.answer(task.id, 'blue');
    return client.until(task.id, 'COMPLETED');
  };
}

/** A task whose agent has taken it and goes on for a while. */
async function started(client: TestClient, sessionId: string | undefined): Promise<Task> {
  const task = await client.submit('slow 2', sessionId);
  for (;;) {
    const events = await client.events(`/v1/tasks/${task.id}/events`);
    if (events.some(({ event }) => event === 'vendor.harn_gateway.upstream_bound')) return task;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Replays a task and waits for its end. */
export async function replayOf(client: TestClient, taskId: string, body?: unknown): Promise<Task> {
  const accepted = await client.post<Task>(`/v1/tasks/${taskId}/replay`, body);
  return client.until(accepted.id, 'COMPLETED', 'FAILED', 'CANCELED');
}

export async function eventsOf(client: TestClient, taskId: string): Promise<TestEvent[]> {
  return client.events(`/v1/tasks/${taskId}/events`);
}
