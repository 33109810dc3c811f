import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { PolicyExplanation } from '#resources/policy/schema.ts';
import type { Receipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import type { TrustRecord } from '#resources/trust/schema.ts';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { AcpClient } from '../harness/acp-client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { startAcpAgent } from '../harness/peers/acp-socket-agent.ts';
import { replayOf } from '../harness/runs.ts';

const agent = await startAcpAgent();
afterAll(() => agent.close());

describe('an answer "always" to what an ACP agent asks', () => {
  let data = '';
  let gateway: TestGateway | undefined;
  let started = '';
  const open: AcpClient[] = [];
  /** Milliseconds by which the clock of the gateway is ahead. */
  let passed = 0;
  const clock = { now: () => Date.now() + passed, monotonic: () => performance.now() + passed };
  const client = () => up().client;
  const up = (): TestGateway => {
    if (gateway === undefined) throw new Error('the gateway is not up');
    return gateway;
  };

  afterEach(async () => {
    for (const editor of open.splice(0)) editor.close();
    // A log that lost history begins in the midst of its streams.
    if (passed === 0) expect(eventFindings(await allEvents(up().log))).toEqual([]);
  });
  afterAll(end);

  async function end(): Promise<void> {
    if (gateway === undefined) return;
    await gateway.close();
    for await (const step of checkData(data, systemClock, systemRandom))
      expect(step.kind).not.toBe('finding');
    rmSync(data, { recursive: true, force: true });
    gateway = undefined;
    passed = 0;
  }

  /** A gateway with this policy; one that is there goes on. */
  async function start(policy: object, more: object = {}): Promise<void> {
    const wanted = JSON.stringify([policy, more]);
    if (gateway !== undefined && started === wanted) return;
    await end();
    data = mkdtempSync(join(tmpdir(), 'harn-remembered-'));
    started = wanted;
    await run(policy, more);
  }

  async function run(policy: object, more: object = {}): Promise<void> {
    gateway = await startTestGateway({
      data,
      clock,
      config: { upstreams: { acp: [{ id: 'coder', url: agent.url }] }, policy, ...more },
      keys: [{ actor: 'friend' }],
    });
  }

  /** An editor whose user always chooses this option. */
  async function editor(optionId: string, actor?: string): Promise<AcpClient> {
    const key = (actor === undefined ? client() : up().clients[actor])?.key ?? '';
    const permission = async () => ({ outcome: { outcome: 'selected' as const, optionId } });
    const editor = await AcpClient.overSocket(up().url, key, { permission });
    open.push(editor);
    return editor;
  }

  /** What the agent was told, by the prompt, in a session of its own or in this one. */
  async function edit(user: AcpClient, sessionId?: string, text = 'edit'): Promise<[string, string]> {
    const id = sessionId ?? (await user.session({ route: 'acp:coder' })).sessionId;
    const before = user.text('agent_message_chunk', id).length;
    await user.prompt(id, text);
    return [user.text('agent_message_chunk', id).slice(before), id];
  }

  const requests = async (query: string) =>
    (await client().get<{ data: PermissionRequest[] }>(`/v1/permission-requests?${query}`)).data;
  const remembered = (sessionId: string) => requests(`remembered=true&session_id=${sessionId}`);
  const tasksOf = async (sessionId: string) =>
    (await client().get<{ data: Task[] }>(`/v1/sessions/${sessionId}/tasks`)).data.toReversed();
  const forget = (id: string | undefined) =>
    client().call('DELETE', `/v1/permission-requests/${id}/remembered`);

  it.each([
    ['always', 'option yes', 'approved'],
    ['never', 'option no', 'denied'],
  ])(
    '[ACP-PERM-03] is not asked again in the session where the policy lets it: %s',
    async (option, told, status) => {
      await start({ remember: { act_auto: 'session' } });
      const user = await editor(option);
      const [first, sessionId] = await edit(user);
      expect(user.permissions[0]?.options).toHaveLength(4);
      const [second] = await edit(user, sessionId);
      // The agent hears of one answer at a time: what is remembered can be forgotten here.
      expect([first, second]).toEqual([told, told]);
      expect(user.permissions).toHaveLength(1);
      const [later, earlier] = await requests(`session_id=${sessionId}`);
      expect(earlier?.response).toMatchObject({ remembered: 'session', option_id: option });
      expect(later).toMatchObject({
        status,
        request: { remembered_from: earlier?.id },
        response: { reviewer: null, reason: 'remembered' },
      });
      expect((await remembered(sessionId)).map(({ id }) => id)).toEqual([earlier?.id]);
      const [, task] = await tasksOf(sessionId);
      const kinds = (await client().events(`/v1/tasks/${task?.id}/events`)).map(({ event }) => event);
      expect(kinds).toContain(`tool.${status}`);
      expect(kinds).not.toContain('task.auth_required');
      await edit(user);
      expect(user.permissions).toHaveLength(2);
    },
  );

  it('is an answer about the same to the same person: another subject and another actor are asked', async () => {
    await start({ remember: { act_auto: 'session' } });
    const user = await editor('always');
    const [, sessionId] = await edit(user);
    await edit(user, sessionId, 'edit other.txt');
    expect(user.permissions).toHaveLength(2);
    const friend = await editor('no', 'friend');
    const task = await up().clients['friend']?.submit('edit', sessionId, { route: 'acp:coder' });
    await friend.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    await client().until(task?.id ?? '', 'COMPLETED');
    const [asked] = await requests(`task_id=${task?.id}`);
    expect(asked?.request.remembered_from).toBeUndefined();
    // Whoever answers for somebody else answers that request alone.
    expect(asked?.response?.remembered).toBeUndefined();
  });

  it('about what has a secret in it is not kept', async () => {
    await start({ remember: { act_auto: 'session' } });
    const user = await editor('yes');
    await edit(user, undefined, `edit ghp_${'a'.repeat(36)}`);
    expect(user.permissions[0]?.options).toHaveLength(2);
  });

  it('holds no more in a session that asks for less', async () => {
    await start({ remember: { act_auto: 'session' } });
    const user = await editor('always');
    const [, sessionId] = await edit(user);
    const suggest = { sessionId, configId: 'autonomy', value: 'suggest' };
    await user.agent.request('session/set_config_option', suggest);
    user.close();
    const later = await editor('no');
    expect((await edit(later, sessionId))[0]).toBe('option no');
    expect(later.permissions[0]?.options).toHaveLength(2);
  });

  it('is told by receipt, trust record and policy explain, and replays to the byte when it is forgotten', async () => {
    await start({ remember: { act_auto: 'session' } });
    const user = await editor('always');
    const [, sessionId] = await edit(user);
    await edit(user, sessionId);
    const [earlier] = await remembered(sessionId);
    const [first, second] = await tasksOf(sessionId);
    const { data: receipts } = await client().get<{ data: Receipt[] }>(`/v1/tasks/${second?.id}/receipts`);
    const payload = receipts.find(({ subject }) => subject.object === 'task')?.wire.payload;
    expect(payload?.approvals).toMatchObject([{ actor: 'policy:remembered', decision: 'approved' }]);
    expect(payload?.metadata).toMatchObject({ remembered: [{ from: earlier?.id }] });
    const { data: records } = await client().get<{ data: { wire: { payload: TrustRecord } }[] }>(
      '/v1/trust-records',
    );
    const told = JSON.stringify(records);
    expect(told).toContain('"remembered":"session"');
    expect(told).toContain(`"remembered_from":"${earlier?.id}"`);
    const explained = await client().get<PolicyExplanation>(
      `/v1/admin/policy/explain?actor=actor_test&operation=submitTask&skill=acp:coder&session=${sessionId}`,
    );
    expect(explained).toMatchObject({ tier: 'act_auto', remembers: 'session' });
    await forget(earlier?.id);
    for (const task of [first, second]) {
      const replay = await replayOf(client(), task?.id ?? '');
      expect(replay).toMatchObject({ status: 'COMPLETED' });
      const events = await client().events(`/v1/tasks/${replay.id}/events`);
      const completed = events.find(({ event }) => event === 'replay.completed');
      expect(completed?.payload['verdict']).toMatchObject({ status: 'byte_equal' });
    }
  });

  it('is asked again once it is forgotten, also after a restart', async () => {
    await start({ remember: { act_auto: 'workspace' } });
    const [, sessionId] = await edit(await editor('always'));
    await up().close();
    await run({ remember: { act_auto: 'workspace' } });
    const user = await editor('no');
    expect((await edit(user, sessionId))[0]).toBe('option yes');
    expect((await edit(user))[0]).toBe('option yes');
    expect(user.permissions).toHaveLength(0);
    const [request] = await remembered(sessionId);
    expect((await forget(request?.id)).status).toBe(200);
    expect((await forget(request?.id)).status).toBe(404);
    expect((await edit(user, sessionId))[0]).toBe('option no');
    expect(await remembered(sessionId)).toEqual([]);
  });

  it('is nobody’s any more in a session that was imported', async () => {
    await start({ remember: { act_auto: 'workspace' } });
    const [, sessionId] = await edit(await editor('always'), undefined, 'edit kept.txt');
    const bundle = await client().post('/v1/bundles/export', { session_id: sessionId });
    const other = mkdtempSync(join(tmpdir(), 'harn-remembered-'));
    const elsewhere = await startTestGateway({ data: other });
    await elsewhere.client.post('/v1/bundles/import', bundle);
    const { data } = await elsewhere.client.get<{ data: PermissionRequest[] }>(
      '/v1/permission-requests?remembered=true',
    );
    const all = await elsewhere.client.get<{ data: PermissionRequest[] }>('/v1/permission-requests');
    expect(all.data[0]?.response).toMatchObject({ approved: true });
    expect(data).toEqual([]);
    await elsewhere.close();
    rmSync(other, { recursive: true, force: true });
  });

  it('the newest one about the same holds', async () => {
    await start({ remember: { act_auto: 'workspace' } });
    const ask = async (option: string) => edit(await editor(option));
    // Both are asked before either is answered.
    const waiting = await AcpClient.overSocket(up().url, client().key);
    open.push(waiting);
    const { sessionId } = await waiting.session({ route: 'acp:coder' });
    const prompt = waiting.prompt(sessionId, 'edit');
    await waiting.until(() => waiting.permissions.length === 1);
    await ask('always');
    const [pending] = await requests(`session_id=${sessionId}`);
    const answer = { answer: { option_id: 'never' } };
    await client().post(`/v1/permission-requests/${pending?.id}/respond`, answer);
    await prompt;
    expect((await ask('always'))[0]).toBe('option no');
    expect((await remembered(sessionId)).map(({ id }) => id)).toEqual([pending?.id]);
  });

  it('outlives the history of the session that it was given in, and can be forgotten then', async () => {
    const retention = { events_days: 30, interesting_days: 30 };
    await start({ remember: { act_auto: 'workspace' } }, { retention });
    const [, sessionId] = await edit(await editor('always'));
    await client().post(`/v1/sessions/${sessionId}/close`);
    passed = 31 * 86_400_000;
    await up().tidy();
    const kinds = (await client().events(`/v1/sessions/${sessionId}/events`)).map(({ event }) => event);
    expect(kinds[0]).toBe('vendor.harn_gateway.history_removed');
    expect(kinds).not.toContain('tool.approved');
    const user = await editor('no');
    expect((await edit(user))[0]).toBe('option yes');
    const [request] = await remembered(sessionId);
    expect((await forget(request?.id)).status).toBe(200);
    expect((await edit(user))[0]).toBe('option no');
  });

  it.each([
    ['by default', {}, 2],
    ['for tasks of a tier that is left out', { remember: { act_with_approval: 'workspace' } }, 2],
    [
      'where somebody else has to approve',
      { remember: { act_auto: 'workspace' }, approvals: [{ four_eyes: true }] },
      2,
    ],
  ])('is not offered %s', async (_when, policy, options) => {
    await start(policy);
    const user = await editor('no');
    await edit(user);
    await edit(user);
    expect(user.permissions.map((request) => request.options.length)).toEqual([options, options]);
  });
});
