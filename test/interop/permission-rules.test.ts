import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { RememberRule } from '#resources/permission-rule/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { AcpClient } from '../harness/acp-client.ts';
import { acpAgentCommand } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { replayOf } from '../harness/runs.ts';
import { SdkMcpServer } from '../harness/sdk-mcp-server.ts';

describe('a rule that was made over REST', () => {
  let gateway: TestGateway;
  let server: SdkMcpServer;
  let agent: Awaited<ReturnType<typeof startSampleAgent>>;
  let data = '';
  const editors: AcpClient[] = [];
  const client = () => gateway.client;

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'harn-rules-'));
    server = await SdkMcpServer.start();
    agent = await startSampleAgent();
    await start();
  });
  afterAll(async () => {
    for (const editor of editors) editor.close();
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    await agent.close();
    await server.close();
    for await (const step of checkData(data, systemClock, systemRandom))
      expect(step.kind).not.toBe('finding');
    rmSync(data, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    gateway = await startTestGateway({
      data,
      config: {
        upstreams: {
          a2a: [{ id: 'sample', card: agent.cardUrl }],
          acp: [{ id: 'coder', command: acpAgentCommand() }],
          mcp: [{ id: 'asking', url: server.url, interactive: true }],
        },
        policy: { remember: { act_auto: 'always' } },
      },
    });
    const skills = () => client().get<{ data: { id: string }[] }>('/v1/skills?limit=200');
    while (!(await skills()).data.some(({ id }) => id === 'asking__ask'))
      await new Promise((resolve) => setTimeout(resolve, 20));
  }

  const session = async () =>
    (await client().post<{ id: string }>('/v1/sessions', { workspace_id: 'workspace_default' })).id;
  const rule = (members: object) =>
    client().post<RememberRule>('/v1/permissions/rules', {
      scope: 'user',
      allow: true,
      target_pattern: '**',
      ...members,
    });
  const revoke = (id: string) => client().call('DELETE', `/v1/permissions/rules/${id}`);
  const requestsOf = async ({ id }: Pick<Task, 'id'>) =>
    (await client().get<{ data: PermissionRequest[] }>(`/v1/tasks/${id}/permission-requests`)).data;
  const kindsOf = async (id: string) =>
    (await client().events(`/v1/tasks/${id}/events`)).map(({ event }) => event);
  const run = async (route: string, text: string) => client().submit(text, await session(), { route });
  const ask = async () => {
    const body = { session_id: await session(), input: {}, metadata: { route: 'skill:asking__ask' } };
    return client().post<Task>('/v1/tasks', body);
  };
  const byteEqual = async ({ id }: Task) => {
    const replay = await replayOf(client(), id);
    const events = await client().events(`/v1/tasks/${replay.id}/events`);
    const ended = events.find(({ event }) => /^replay\.(completed|failed)$/.test(event));
    expect(ended?.payload['verdict']).toMatchObject({ status: 'byte_equal' });
  };

  describe('answers an ACP agent', () => {
    const EDIT = { class: 'write', action_pattern: '**' };

    it.each([
      [true, 'option yes', 'tool.approved'],
      [false, 'option no', 'tool.denied'],
    ])('whose editor is asked nothing: allow %s', async (allow, told, kind) => {
      const made = await rule({ ...EDIT, allow });
      const permission = async () => ({ outcome: { outcome: 'selected' as const, optionId: 'yes' } });
      const editor = await AcpClient.overSocket(gateway.url, client().key, { permission });
      editors.push(editor);
      const { sessionId } = await editor.session({ route: 'acp:coder' });
      await editor.prompt(sessionId, 'edit');
      expect(editor.text('agent_message_chunk', sessionId)).toContain(told);
      expect(editor.permissions).toEqual([]);
      const { data: tasks } = await client().get<{ data: Task[] }>(`/v1/sessions/${sessionId}/tasks`);
      const [task] = tasks;
      if (task === undefined) throw new Error('the prompt made no task');
      expect((await requestsOf(task))[0]).toMatchObject({
        request: { answered_by: { rule_id: made.id } },
        response: { approved: allow, reviewer: null, reason: 'permission_rule', rule_id: made.id },
      });
      const kinds = await kindsOf(task.id);
      expect(kinds).toContain(kind);
      expect(kinds).not.toContain('task.auth_required');
      await revoke(made.id);
      await byteEqual(task);
      await editor.prompt(sessionId, 'edit');
      expect(editor.permissions).toHaveLength(1);
    });

    it('that waits already, also by the policy of the tenant', async () => {
      const task = await run('acp:coder', 'edit');
      await client().until(task.id, 'AUTH_REQUIRED');
      const { body } = await client().call('PUT', '/v1/permissions/policy', { body: { write: ['**'] } });
      const ended = await client().until(task.id, 'COMPLETED');
      expect((await requestsOf(task))[0]?.response).toMatchObject({
        rule_id: null,
        policy_version: body['version'],
      });
      await client().call('PUT', '/v1/permissions/policy', { body: {} });
      await byteEqual(ended);
    });
  });

  describe('answers a server that asks in the midst of a call', () => {
    const ASK = { class: 'custom', action_pattern: 'elicitation', target_pattern: 'asking__ask' };

    it.each([
      [true, 'accept'],
      [false, 'decline'],
    ])('where a yes is all that it wants: allow %s is %s', async (allow, action) => {
      const made = await rule({ ...ASK, allow });
      const task = await ask();
      const ended = await client().until(task.id, 'COMPLETED');
      const said = (await client().events(`/v1/tasks/${task.id}/events`)).find(
        ({ event }) => event === 'agent.message',
      );
      expect(JSON.stringify(said?.payload)).toContain(action);
      const [request] = await requestsOf(task);
      expect(request).toMatchObject({
        request: { kind: 'elicitation', answered_by: { rule_id: made.id } },
        response: { rule_id: made.id, answer: allow ? { yes: true } : null },
      });
      expect(await kindsOf(task.id)).not.toContain('task.input_required');
      await revoke(made.id);
      await byteEqual(ended);
    });

    it('and is found again by a gateway that was stopped while it waited', async () => {
      const waiting = await ask();
      await client().until(waiting.id, 'INPUT_REQUIRED');
      await gateway.close();
      await start();
      const made = await rule(ASK);
      await client().until(waiting.id, 'COMPLETED', 'FAILED');
      expect((await requestsOf(waiting))[0]?.response).toMatchObject({ rule_id: made.id });
      await revoke(made.id);
    });
  });

  describe('answers an A2A agent', () => {
    const LOGIN = { class: 'custom', action_pattern: 'authorization', target_pattern: '**' };

    it('that wants to be authorized: it goes on, and is answered once', async () => {
      const made = await rule(LOGIN);
      const task = await run('a2a:sample', 'login');
      const ended = await client().until(task.id, 'COMPLETED');
      expect((await requestsOf(task))[0]?.response).toMatchObject({ rule_id: made.id, approved: true });
      await revoke(made.id);
      await byteEqual(ended);
    });

    it('and leaves to a person what takes words', async () => {
      const made = await rule({ ...LOGIN, action_pattern: '**' });
      const task = await run('a2a:sample', 'ask');
      await client().until(task.id, 'INPUT_REQUIRED');
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect((await requestsOf(task))[0]?.status).toBe('pending');
      await revoke(made.id);
    });
  });
});
