import { describe, expect, it } from 'vitest';
import { mcpServerStage } from '../harness/mcp-server-stage.ts';

const TASKS = 'io.modelcontextprotocol/tasks';

interface Answer {
  status: number;
  result: Record<string, unknown> & { taskId: string; status: string };
  error?: { code: number; data?: object };
}

describe('/mcp with the tasks extension', () => {
  const stage = mcpServerStage();

  /** One request of the revision without sessions, as bytes on the wire. */
  async function send(
    method: string,
    params: object,
    extensions: object = { [TASKS]: {} },
    actor = 'actor_test',
  ): Promise<Answer> {
    const { name, taskId } = params as { name?: string; taskId?: string };
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions },
    };
    const answer = await fetch(stage.url(), {
      method: 'POST',
      headers: {
        ...stage.headers(actor),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': name ?? taskId ?? '',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    });
    return { status: answer.status, ...((await answer.json()) as Omit<Answer, 'status'>) };
  }

  const call = (name: string, message: string) => send('tools/call', { name, arguments: { message } });

  async function until(taskId: string, ...words: string[]): Promise<Answer['result']> {
    for (let tries = 0; tries < 1_000; tries += 1) {
      const { result } = await send('tasks/get', { taskId });
      if (words.includes(result.status)) return result;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`${taskId} never was ${words.join(' or ')}`);
  }

  it('[MCP-TASK-3] a call of an agent is a task at once, whose id is that of the durable Task', async () => {
    const { result } = await call('ask_sample', 'hello');
    expect(result).toMatchObject({
      resultType: 'task',
      status: 'working',
      ttlMs: null,
      pollIntervalMs: 1000,
    });
    const { data } = await stage.gateway().client.get<{ data: { id: string }[] }>('/v1/tasks?limit=1');
    expect(data[0]?.id).toBe(result.taskId);
    const done = await until(result.taskId, 'completed');
    expect(done).toMatchObject({
      resultType: 'complete',
      taskId: result.taskId,
      result: { content: [{ type: 'text' }], structuredContent: { task_id: result.taskId } },
    });
  });

  it('[MCP-TASK-4] a task that asks is input_required; tasks/update answers, and what nobody asked is ignored', async () => {
    const { result } = await call('ask_sample', 'ask');
    const asked = await until(result.taskId, 'input_required');
    const [key = ''] = Object.keys(asked['inputRequests'] ?? {});
    expect(key).not.toBe('');
    const content = { answer: 'green' };
    const stray = await send('tasks/update', {
      taskId: result.taskId,
      inputResponses: { other: { action: 'accept', content } },
    });
    expect(stray.result).toMatchObject({ resultType: 'complete' });
    expect((await send('tasks/get', { taskId: result.taskId })).result.status).toBe('input_required');
    await send('tasks/update', {
      taskId: result.taskId,
      inputResponses: { [key]: { action: 'accept', content } },
    });
    const done = await until(result.taskId, 'completed');
    expect(JSON.stringify(done['result'])).toContain('Thank you.');
  });

  it('[MCP-TASK-5] tasks/cancel cancels the Task, and is no error when it is over', async () => {
    const { result } = await call('ask_sample', 'stream 500');
    const { taskId } = result;
    expect((await send('tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
    await until(taskId, 'cancelled');
    expect((await send('tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
  });

  it('[MCP-TASK-6] a call that waits for a permission is a task that is working, and says for what', async () => {
    const given = { name: 'files__write_file', arguments: { path: `${stage.root}/x.txt`, content: 'x' } };
    const { result } = await send('tools/call', given);
    expect(result).toMatchObject({
      resultType: 'task',
      status: 'working',
      statusMessage: expect.stringMatching(/permission/),
    });
    await send('tasks/cancel', { taskId: result.taskId });
  });

  it('[MCP-TASK-7] a Task that failed is failed with an error; one whose tool failed is completed', async () => {
    const { result } = await call('ask_sample', 'fail');
    const failed = await until(result.taskId, 'failed');
    expect(failed['error']).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
    expect(failed).not.toHaveProperty('result');
  });

  it('[MCP-TASK-8] who does not declare the extension gets no task, and -32021 for its methods', async () => {
    const plain = await send('tools/call', { name: 'ask_sample', arguments: { message: 'hello' } }, {});
    expect(plain.result).not.toHaveProperty('taskId');
    const refused = await send('tasks/get', { taskId: 'task_x' }, {});
    expect(refused).toMatchObject({
      status: 400,
      error: { code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } },
    });
  });

  it('[MCP-TASK-9] a task that is not there is -32602; who may not read Tasks is told nothing', async () => {
    const unknown = await send('tasks/get', { taskId: 'task_01ARZ3NDEKTSV4RRFFQ69G5FAV' });
    expect(unknown.error?.code).toBe(-32602);
    const { result } = await call('ask_sample', 'hello');
    const seen = await send('tasks/get', { taskId: result.taskId }, { [TASKS]: {} }, 'reader');
    expect(seen).not.toHaveProperty('result');
    expect(seen.error?.code).toBe(-32600);
  });
});
