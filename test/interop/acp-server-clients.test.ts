import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Task } from '#resources/task/schema.ts';
import { AcpClient } from '../harness/acp-client.ts';
import { acpServerStage } from '../harness/acp-server-stage.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { startTestGateway } from '../harness/gateway.ts';

describe('clients of the ACP face', () => {
  const stage = acpServerStage();

  it('[ACP-USER-12] a session with an agent that never starts is there at once, and its prompt says what is wrong', async () => {
    const slow = acpUpstream([], {
      id: 'slow',
      command: [process.execPath, '-e', 'setInterval(() => undefined, 1000)'],
      limits: { start_timeout_ms: 200 },
    });
    const gateway = await startTestGateway({ extraClients: [slow] });
    const client = await AcpClient.overSocket(gateway.url, gateway.client.key);
    const { sessionId } = await client.session({ route: 'acp:slow' });
    await expect(client.prompt(sessionId, 'hello')).rejects.toMatchObject({
      code: -32603,
      data: { harn: { code: 'deadline_exceeded' } },
    });
    client.close();
    await gateway.close();
  });

  it('[ACP-USER-16] an update is kept that has a number beyond 2^53 or a name twice, and what was mended is said', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await client.prompt(sessionId, 'disputed');
    expect(client.text()).toBe('twice');
    const log = await stage.gateway.client.events(`/v1/sessions/${sessionId}/events`);
    expect(log.find(({ event }) => event === 'tool.requested')?.payload).toMatchObject({
      input: { row: '12345678901234567000' },
    });
    const mended = log.filter(({ payload }) => payload['note'] === 'update_mended');
    expect(mended.map(({ payload }) => payload['details'])).toEqual([
      { kind: 'tool_call', mended: ['numbers'] },
      { kind: 'agent_message_chunk', mended: ['members'] },
    ]);
  });

  it('modes of the agent can be set once they are known', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await client.prompt(sessionId, 'hello');
    await client.agent.request('session/set_mode', { sessionId, modeId: 'code' });
    await client.prompt(sessionId, 'mode');
    expect(client.text()).toContain('code');
    await expect(
      client.agent.request('session/set_mode', { sessionId, modeId: 'fly' }),
    ).rejects.toMatchObject({
      code: -32602,
      data: { param: 'modeId' },
    });
  });

  it.each([
    ['session/new', { cwd: 'relative', mcpServers: [] }, -32602],
    ['session/prompt', { sessionId: 'session_unknown', prompt: [{ type: 'text', text: 'x' }] }, -32002],
    ['session/load', { sessionId: 'session_unknown', cwd: '/', mcpServers: [] }, -32002],
    ['session/fork', { sessionId: 'x' }, -32601],
    ['_harn/unknown', {}, -32601],
  ])('%s with %j is refused as %i', async (method, params, code) => {
    const client = await stage.connect();
    await expect(client.agent.request(method, params)).rejects.toMatchObject({ code });
  });

  it('[ACP-USER-11] a client that leaves the list of servers out, or an image in, is served', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.agent.request<{ sessionId: string }>('session/new', { cwd: '/work' });
    const image = {
      type: 'image' as const,
      mimeType: 'image/png',
      data: Buffer.from('png').toString('base64'),
    };
    const prompt = [{ type: 'text' as const, text: 'hello' }, image];
    await client.agent.request('session/prompt', { sessionId, prompt });
    const { data } = await stage.gateway.client.get<{ data: Task[] }>(`/v1/sessions/${sessionId}/tasks`);
    expect(JSON.stringify(data[0]?.input)).toContain('image_ref');
  });

  it('a prompt that is sent again under its key, image and all, is the same task', async () => {
    const { id: sessionId } = await stage.gateway.client.session();
    const image = {
      type: 'image' as const,
      mimeType: 'image/png',
      data: Buffer.from('png').toString('base64'),
    };
    const prompt = [{ type: 'text' as const, text: 'hello' }, image];
    const _meta = { harn: { idempotencyKey: 'the-same-prompt' } };
    for (let n = 0; n < 2; n += 1) {
      const client = await stage.connect();
      await client.agent.request('session/resume', { sessionId, cwd: '/work' });
      const answer = await client.agent.request('session/prompt', { sessionId, prompt, _meta });
      expect(answer).toMatchObject({ stopReason: 'end_turn' });
    }
    const { data } = await stage.gateway.client.get<{ data: Task[] }>(`/v1/sessions/${sessionId}/tasks`);
    expect(data).toHaveLength(1);
  });

  it('a caller without the scope is refused by the operation, not by the face', async () => {
    const client = await stage.connect({}, stage.gateway.clients['reader']?.key);
    await expect(client.session()).rejects.toMatchObject({ data: { harn: { code: 'permission_denied' } } });
  });

  it('a caller who may not decide is not asked for a decision, and reads who is waited for', async () => {
    const client = await stage.connect();
    const reader = await stage.connect({}, stage.gateway.clients['reader']?.key);
    const { sessionId } = await client.session({ route: 'acp:coder' });
    await reader.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    const prompt = client.prompt(sessionId, 'edit');
    await client.until(() => client.permissions.length === 1);
    await reader.until(() => reader.text('agent_thought_chunk').includes('Somebody else has to allow this'));
    const { data } = await stage.gateway.client.get<{ data: { id: string }[] }>(
      `/v1/permission-requests?session_id=${sessionId}`,
    );
    await stage.gateway.client.post(`/v1/permission-requests/${data[0]?.id}/respond`, { approved: true });
    await prompt;
    expect(reader.permissions).toEqual([]);
  });

  it('an upgrade without a key is refused before anything is said', async () => {
    const socket = new WebSocket(`${stage.gateway.url.replace('http', 'ws')}/acp`);
    const status = await new Promise((resolve) => {
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.once('error', () => undefined);
    });
    expect(status).toBe(401);
  });

  it('[ACP-INIT-02] requests before initialize, and what is no JSON, are refused', async () => {
    const headers = { authorization: `Bearer ${stage.gateway.client.key}` };
    const socket = new WebSocket(`${stage.gateway.url.replace('http', 'ws')}/acp`, { headers });
    await new Promise((resolve) => socket.once('open', resolve));
    const answers: { id: unknown; error?: { code: number } }[] = [];
    const three = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        answers.push(JSON.parse(String(data)));
        if (answers.length === 3) resolve();
      });
    });
    socket.send('{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/"}}');
    socket.send('nonsense');
    socket.send('[]');
    await three;
    socket.close();
    expect(answers.map(({ error }) => error?.code).sort()).toEqual([-32600, -32600, -32700]);
  });

  it('a gateway is an ACP agent of another gateway, over its WebSocket', async () => {
    const file = join(stage.gateway.data, 'far-key');
    writeFileSync(file, stage.gateway.client.key);
    const auth = { type: 'bearer', value: { file } };
    const url = `${stage.gateway.url.replace('http', 'ws')}/acp`;
    const near = await startTestGateway({
      config: { upstreams: { a2a: [], acp: [{ id: 'far', url, auth }] } },
    });
    const client = await AcpClient.overSocket(near.url, near.client.key);
    const { sessionId } = await client.session();
    expect(await client.prompt(sessionId, 'stream 3')).toMatchObject({ stopReason: 'end_turn' });
    expect(client.text()).toContain('chunk 3 of 3');
    const slow = client.prompt(sessionId, 'slow 100');
    await client.until(() => client.text().includes('This takes'));
    await client.cancel(sessionId);
    expect(await slow).toMatchObject({ stopReason: 'cancelled' });
    client.close();
    await near.close();
  });
});
