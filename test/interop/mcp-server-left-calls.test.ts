import { describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { mcpSdkStage, until } from '../harness/mcp-sdk-stage.ts';

describe('a client of 2026-07-28 that closes the stream of its call at /mcp', () => {
  const { modern, gateway, server } = mcpSdkStage();

  const newest = async (): Promise<Task> => {
    const { data } = await gateway().client.get<{ data: Task[] }>('/v1/tasks?limit=1');
    const [task] = data;
    if (task === undefined) throw new Error('there is no Task');
    return task;
  };
  const isCanceled = async (id: string) =>
    expect(await gateway().client.until(id, 'CANCELED', 'COMPLETED', 'FAILED')).toMatchObject({
      status: 'CANCELED',
    });

  it.each(['plain', 'asking'])('takes it back from the server (row %s)', async (row) => {
    const client = await modern();
    const before = server().takenBack;
    const leave = new AbortController();
    const call = client.callTool({ name: `${row}__slow`, arguments: {} }, { signal: leave.signal });
    await until(() => server().running === 1);
    const { id } = await newest();
    leave.abort();
    await expect(call).rejects.toThrow();
    await isCanceled(id);
    await until(() => server().takenBack === before + 1);
  });

  it('does not take it back where it has sent the same call again', async () => {
    const leave = new AbortController();
    const _meta = { 'dev.harn-gateway/idempotency-key': 'again-and-again' };
    const call = { name: 'plain__slow', arguments: {}, _meta };
    const client = await modern();
    const first = client.callTool(call, { signal: leave.signal });
    await until(() => server().running === 1);
    const second = client.callTool(call);
    await new Promise((resolve) => setTimeout(resolve, 300));
    leave.abort();
    await expect(first).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(server().running).toBe(1);
    server().release();
    expect(await second).toMatchObject({ content: [{ text: 'slow is done' }] });
  });
});
