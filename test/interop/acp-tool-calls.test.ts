import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import type { AcpClientConfig } from '../../bridges/acp/index.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { startAcpAgent } from '../harness/peers/acp-socket-agent.ts';

const agent = await startAcpAgent();
afterAll(() => agent.close());

describe('what an ACP agent says of its tool calls, in pieces', () => {
  let gateway: TestGateway;
  const dir = mkdtempSync(join(tmpdir(), 'harn-acp-calls-'));
  afterEach(async () => {
    await gateway.close();
    rmSync(dir, { recursive: true, force: true });
  });

  async function run(
    text: string,
    config: Partial<AcpClientConfig> = { command: undefined, url: agent.url },
  ): Promise<Task> {
    gateway = await startTestGateway({
      extraClients: [acpUpstream([], config)],
    });
    const { client } = gateway;
    const task = await client.submit(text, undefined, { route: 'acp:peer' });
    const ended = await client.until(task.id, 'AUTH_REQUIRED', 'COMPLETED', 'FAILED');
    if (ended.status !== 'AUTH_REQUIRED') return ended;
    const { data } = await client.get<{ data: { id: string }[] }>(
      `/v1/permission-requests?task_id=${task.id}`,
    );
    await client.post(`/v1/permission-requests/${data[0]?.id}/respond`, { approved: true });
    return client.until(task.id, 'COMPLETED', 'FAILED');
  }
  const eventsOf = (task: Task, kind: string) =>
    gateway.client
      .events(`/v1/tasks/${task.id}/events`)
      .then((events) => events.filter(({ event }) => event === kind).map(({ payload }) => payload));

  it('a call that is asked for first may name other times and processes than it was asked for with', async () => {
    const task = await run('swap ls');
    expect(task.status).toBe('COMPLETED');
    const [requested, ...others] = await eventsOf(task, 'tool.requested');
    expect(requested).toMatchObject({ tool_call_id: 'call-1', input: { command: 'ls', started: 1 } });
    expect(others).toEqual([]);
  });

  it('but no other command: an approval is for these arguments', async () => {
    const task = await run('swap rm');
    expect(task).toMatchObject({ status: 'FAILED', failure: { code: 'policy_violation' } });
  });

  it('a call whose input is still written is told with its input, and with the name of its tool', async () => {
    const task = await run('write');
    expect(await eventsOf(task, 'tool.requested')).toMatchObject([{ name: 'Write', input: { path: 'a' } }]);
  });

  it('what a command of the agent prints is its output, and content for clients', async () => {
    const task = await run('print');
    const updates = await eventsOf(task, 'vendor.harn_gateway.agent_update');
    const content = [{ type: 'content', content: { type: 'text', text: 'one\ntwo\n' } }];
    expect(updates.at(-1)).toMatchObject({
      kind: 'tool_call_update',
      update: { body: { toolCallId: 'call-1', content } },
    });
  });

  it('an agent that refuses to start is quoted', async () => {
    const refuse = `process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no config"}}'))`;
    const task = await run('hello', { command: [process.execPath, '-e', refuse] });
    expect(task.failure).toMatchObject({
      code: 'upstream_unavailable',
      details: { reason: 'refused', error: { message: 'no config' } },
    });
  });
});
