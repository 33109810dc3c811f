import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreateElicitationRequest } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { objectOf } from '#protocol/json-shape.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import { AcpClient } from '../harness/acp-client.ts';
import { acpServerStage } from '../harness/acp-server-stage.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { ScriptedAcpAgent } from '../harness/peers/scripted-acp-agent.ts';
import { TaskOnStage, textMessage } from '../harness/upstream-stage.ts';

const PAGE = 'https://login.example.com/device';

describe('what an agent asks through the gateway', () => {
  const stage = acpServerStage();

  it('[ACP-ELIC-02] a page to visit is a page for an editor that opens pages', async () => {
    const asked: CreateElicitationRequest[] = [];
    const client = await stage.connect({
      capabilities: { elicitation: { url: {} } },
      elicit: async (request) => {
        asked.push(request);
        return { action: 'accept' };
      },
    });
    const { sessionId } = await client.session({ route: 'acp:coder' });
    expect(await client.prompt(sessionId, `visit ${PAGE}`)).toMatchObject({ stopReason: 'end_turn' });
    expect(asked).toMatchObject([{ mode: 'url', url: PAGE, message: 'Log in there.' }]);
    expect(client.text()).toBe('accept');
  });

  it('is an authorization for everybody else, with the page, and any face answers it', async () => {
    const client = await stage.connect();
    const { sessionId } = await client.session({ route: 'acp:coder' });
    const prompt = client.prompt(sessionId, `visit ${PAGE}`);
    await client.until(() => client.permissions.length === 1);
    expect(client.permissions[0]?.toolCall.title).toBe(`Log in there. ${PAGE}`);
    const { data } = await stage.gateway.client.get<{ data: PermissionRequest[] }>(
      `/v1/permission-requests?session_id=${sessionId}`,
    );
    expect(data[0]).toMatchObject({ status: 'pending', request: { kind: 'authorization', url: PAGE } });
    await stage.gateway.client.post(`/v1/permission-requests/${data[0]?.id}/respond`, { approved: true });
    expect(await prompt).toMatchObject({ stopReason: 'end_turn' });
    expect(client.text()).toBe('accept');
  });

  it('a login without a page is shown in words, with what the agent offers; a cancel ends its turn', async () => {
    const locked = acpUpstream(['--locked'], { id: 'locked' });
    const gateway = await startTestGateway({ extraClients: [locked] });
    const client = await AcpClient.overSocket(gateway.url, gateway.client.key, {
      capabilities: { elicitation: { url: {} } },
    });
    const { sessionId } = await client.session({ route: 'acp:locked' });
    const prompt = client.prompt(sessionId, 'hello');
    await client.until(() => client.permissions.length === 1);
    expect(client.permissions[0]).toMatchObject({
      toolCall: { title: expect.stringContaining('log in where it runs') },
      options: [{ kind: 'allow_once' }, { kind: 'reject_once' }],
    });
    await client.cancel(sessionId);
    expect(await prompt).toMatchObject({ stopReason: 'cancelled' });
    client.close();
    await gateway.close();
  });

  it.each([
    ['its session', 'hello', 'You said: hello'],
    ['the prompt', 'login', 'logged in'],
  ])(
    'an agent that refused %s until a login gets the same prompt when the editor approves',
    async (what, word, answer) => {
      const folder = mkdtempSync(join(tmpdir(), 'harn-login-'));
      const key = join(folder, 'done');
      const locked = acpUpstream(what === 'its session' ? ['--locked', key] : [], { id: 'locked' });
      const gateway = await startTestGateway({ extraClients: [locked] });
      let asked = 0;
      const client = await AcpClient.overSocket(gateway.url, gateway.client.key, {
        permission: async () => {
          asked += 1;
          if (asked === 2) writeFileSync(key, '');
          return { outcome: { outcome: 'selected', optionId: 'approve' } };
        },
      });
      const { sessionId } = await client.session({ route: 'acp:locked' });
      const text = word === 'login' ? `login ${key}` : word;
      expect(await client.prompt(sessionId, text)).toMatchObject({ stopReason: 'end_turn' });
      expect(client.permissions.map(({ toolCall }) => toolCall.title)).toEqual(
        Array(2).fill('The agent wants somebody to log in where it runs. It offers: Browser login.'),
      );
      expect(client.text()).toBe(answer);
      client.close();
      await gateway.close();
      rmSync(folder, { recursive: true });
    },
  );

  it('[ACP-USER-05] sets no limit while the agent waits for a person', async () => {
    const idle = 123_456;
    const waits: number[] = [];
    const agent = await ScriptedAcpAgent.start({}, { 'session/new': () => ({ sessionId: 's-1' }) });
    const upstream = acpUpstream(
      [],
      { command: undefined, url: agent.url, limits: { idle_timeout_ms: idle } },
      {
        timers: {
          setTimeout: (run, ms) => {
            waits.push(ms);
            return setTimeout(run, ms);
          },
          clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
        },
      },
    );
    const turn = new TaskOnStage(upstream).turn('start', textMessage('edit'));
    const frames = upstream.run(turn, new AbortController().signal)[Symbol.asyncIterator]();
    await frames.next();
    const asked = frames.next();
    const prompt = await agent.next('session/prompt');
    expect(waits).toContain(idle);
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
    const params = { sessionId: 's-1', toolCall: { toolCallId: 'call-1', title: 'Write' }, options };
    agent.send({ jsonrpc: '2.0', id: 'q-1', method: 'session/request_permission', params });
    const { value } = await asked;
    expect(value).toMatchObject({ body: { op: 'asked' } });
    waits.length = 0;
    const next = frames.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(waits).toEqual([]);
    const { key } = value?.kind === 'message' ? objectOf(value.body) : {};
    const answer = { upstreamId: String(key), approved: true, optionId: 'yes', reason: null };
    expect(upstream.answer?.(turn.taskId, answer)).toBe(true);
    agent.answer(prompt, { stopReason: 'end_turn' });
    expect((await next).done).toBe(false);
    await frames.return?.(undefined);
    await upstream.close();
    await agent.close();
  });
});
