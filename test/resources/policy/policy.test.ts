import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Receipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../../conformance/event-findings.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';
import { tieredMcpServer } from '../../harness/tiered-mcp-server.ts';

const ENDED = ['COMPLETED', 'FAILED', 'CANCELED', 'AUTH_REQUIRED'] as const;

describe('what a persona, a session and a workspace may do', () => {
  let gateway: TestGateway;
  let agent: Awaited<ReturnType<typeof startSampleAgent>>;
  const dir = mkdtempSync(join(tmpdir(), 'harn-policy-'));
  const file = join(dir, 'calls');
  const calls = () => readFileSync(file, 'utf8').split('\n').filter(Boolean);

  beforeAll(async () => {
    writeFileSync(file, '');
    agent = await startSampleAgent();
    gateway = await startTestGateway({
      config: {
        upstreams: {
          a2a: [{ id: 'sample', card: agent.cardUrl }],
          mcp: [
            { id: 'tiered', command: tieredMcpServer(file) },
            { id: 'doubted', command: tieredMcpServer(file), trust: false },
            { id: 'approved', command: tieredMcpServer(file), tools: { approve: ['read'] } },
          ],
        },
      },
    });
    const sources = () =>
      gateway.client.get<{ data: { source: string }[] }>('/v1/skills?limit=200').then(({ data }) => {
        return new Set(data.map(({ source }) => source)).size;
      });
    while ((await sources()) < 4) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    await agent.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const persona = async (members: object) => {
    const definition = { name: 'Clerk', version: '1', entry_workflow: 'none', description: '' };
    const rest = { autonomy_tier: 'act_auto', receipt_policy: 'required' };
    const made = { ...definition, ...rest, ...members };
    return (await gateway.client.post<{ id: string }>('/v1/personas', made)).id;
  };
  const session = async (members: object = {}) =>
    (
      await gateway.client.post<{ id: string }>('/v1/sessions', {
        workspace_id: 'workspace_default',
        ...members,
      })
    ).id;

  async function run(route: string, members: { persona_id?: string; session_id?: string } = {}) {
    const { session_id = await session(), ...rest } = members;
    const body = { session_id, input: { text: 'hello' }, metadata: { route }, ...rest };
    const { id } = await gateway.client.post<Task>('/v1/tasks', body);
    return gateway.client.until(id, ...ENDED);
  }
  const refusalOf = ({ status, failure }: Task) => [status, failure?.code, failure?.details?.['rule']];
  const receiptOf = async ({ receipt_id }: Task) =>
    (await gateway.client.get<Receipt>(`/v1/receipts/${receipt_id}`)).wire.payload;
  const verdictOf = async (task: Task) => {
    const { id } = await gateway.client.post<Task>(`/v1/tasks/${task.id}/replay`, { mode: 'exact' });
    await gateway.client.until(id, 'COMPLETED', 'FAILED');
    const events = await gateway.client.events(`/v1/tasks/${id}/events`);
    return events.find(({ event }) => /^replay\.(completed|failed)$/.test(event))?.payload;
  };

  it('[POL-PER-01] a tool that the persona does not list fails the task before it is called, with event and receipt', async () => {
    const before = calls().length;
    const persona_id = await persona({ tools: ['tiered__read'] });
    const task = await run('skill:tiered__write', { persona_id });
    expect(refusalOf(task)).toEqual(['FAILED', 'policy_violation', 'persona.tools']);
    expect(calls()).toHaveLength(before);
    const events = await gateway.client.events(`/v1/tasks/${task.id}/events`);
    expect(events.find(({ event }) => event.endsWith('policy_decided'))?.payload).toMatchObject({
      effect: 'refuse',
      rule: 'persona.tools',
      tier: 'act_auto',
      skill_id: 'tiered__write',
    });
    expect(await receiptOf(task)).toMatchObject({
      approvals: [{ action: 'tiered__write', actor: 'policy:persona.tools', decision: 'denied' }],
      side_effects: { tool_calls: [] },
      metadata: { policy: [{ effect: 'refuse', rule: 'persona.tools' }] },
    });
    expect((await run('skill:tiered__read', { persona_id })).status).toBe('COMPLETED');
    expect(await verdictOf(task)).toMatchObject({ verdict: { status: 'byte_equal' } });
  });

  it('[POL-PER-02] capabilities and handoffs of a persona limit tools and agents', async () => {
    const reads = await persona({ capabilities: ['tool:read', 'tool:read_external'] });
    expect((await run('skill:tiered__read_external', { persona_id: reads })).status).toBe('COMPLETED');
    expect(refusalOf(await run('skill:tiered__write', { persona_id: reads }))[2]).toBe(
      'persona.capabilities',
    );
    expect(refusalOf(await run('a2a:sample', { persona_id: reads }))[2]).toBe('persona.capabilities');
    const hands = await persona({ handoffs: ['a2a:other'] });
    expect(refusalOf(await run('a2a:sample', { persona_id: hands }))[2]).toBe('persona.handoffs');
    const own = await persona({ handoffs: ['a2a:other'], entry_workflow: 'a2a:sample' });
    expect((await run('a2a:sample', { persona_id: own })).status).toBe('COMPLETED');
  });

  it('[POL-PER-04] a Task hands work to whom its Persona may, which its session is told, and to nobody else', async () => {
    const [helper, stranger] = [await persona({}), await persona({})];
    const boss = await persona({ handoffs: [helper, 'a2a:sample'] });
    const parent = await run('skill:tiered__read', { persona_id: boss });
    const child = (members: object, route: string) =>
      gateway.client.call<{ id: string; error: { code: string; details: object } }>(
        'POST',
        `/v1/sessions/${parent.session_id}/tasks`,
        { body: { input: { text: 'x' }, parent_task_id: parent.id, metadata: { route }, ...members } },
      );
    const refused = await child({ persona_id: stranger }, 'skill:tiered__read');
    expect([refused.status, refused.body.error]).toMatchObject([
      422,
      { code: 'policy_violation', details: { rule: 'persona.handoffs' } },
    ]);
    const taken = [
      await child({ persona_id: helper }, 'skill:tiered__read'),
      await child({ persona_id: boss }, 'skill:tiered__read'),
      await child({}, 'a2a:sample'),
    ];
    expect(taken.map(({ status }) => status)).toEqual([202, 202, 202]);
    const told = (await gateway.client.events(`/v1/sessions/${parent.session_id}/events`)).filter(
      ({ event }) => event === 'agent.handoff',
    );
    expect(told).toMatchObject([
      { payload: { task_id: taken[0]?.body.id, persona_id: helper, agent: 'mcp:tiered' } },
      { payload: { task_id: taken[1]?.body.id, persona_id: boss } },
      { payload: { task_id: taken[2]?.body.id, persona_id: null, agent: 'a2a:sample' } },
    ]);
    for (const { payload } of told)
      expect(payload).toMatchObject({ from_task_id: parent.id, from_persona_id: boss });
    for (const { body } of taken) await gateway.client.until(body.id, 'COMPLETED');
    expect(await verdictOf(parent)).toMatchObject({ verdict: { status: 'byte_equal' } });
  });

  it('[POL-PER-03] a shadow completes a run of an agent without it, and its replay comes out the same', async () => {
    const persona_id = await persona({ autonomy_tier: 'shadow' });
    const task = await run('a2a:sample', { persona_id });
    expect(task.status).toBe('COMPLETED');
    const outcome = await gateway.client.get<{ summary: string }>(`/v1/outcomes/${task.outcome_id}`);
    expect(outcome.summary).toMatch(/^a2a:sample was not called\. Under shadow/);
    expect(await receiptOf(task)).toMatchObject({
      trust: { start_tier: 'shadow', policy_ref: `persona:${persona_id}` },
      approvals: [{ actor: 'policy:tier.shadow.delegate', decision: 'denied' }],
      side_effects: { network_egress: [] },
    });
    expect(await verdictOf(task)).toMatchObject({ verdict: { status: 'byte_equal' } });
    const tool = await run('skill:tiered__read', { persona_id });
    expect(await verdictOf(tool)).toMatchObject({ verdict: { status: 'byte_equal' } });
  });

  it.each([
    ['skill:tiered__destructive', 'tier.act_auto.destructive'],
    ['skill:doubted__read', 'tier.act_auto.destructive'],
    ['skill:approved__read', 'tool.operator'],
  ])('[POL-APP-01] %s waits for a permission by %s; allowed once, it is called once', async (route, rule) => {
    const before = calls().length;
    const task = await run(route);
    expect(task.status).toBe('AUTH_REQUIRED');
    const { data } = await gateway.client.get<{ data: PermissionRequest[] }>(
      `/v1/tasks/${task.id}/permission-requests`,
    );
    expect(data[0]).toMatchObject({
      request: { kind: 'tool', tool_call: { input: { text: 'hello' } } },
      metadata: { policy: { rule, bound_to: { action: route.slice('skill:'.length) } } },
    });
    expect(calls()).toHaveLength(before);
    await gateway.client.post(`/v1/permission-requests/${data[0]?.id}/respond`, { approved: true });
    const done = await gateway.client.until(task.id, 'COMPLETED', 'FAILED');
    expect(done.status).toBe('COMPLETED');
    expect(calls()).toHaveLength(before + 1);
    expect(await receiptOf(done)).toMatchObject({
      approvals: [{ decision: 'approved', approval_id: data[0]?.id }],
      metadata: { policy: [{ effect: 'ask', rule }] },
    });
    expect(await verdictOf(done)).toMatchObject({ verdict: { status: 'byte_equal' } });
  });

  it('[POL-SES-01] skills of a session limit its tasks, and those of its forks', async () => {
    const session_id = await session({ skill_ids: ['tiered__read'] });
    expect((await run('skill:tiered__read', { session_id })).status).toBe('COMPLETED');
    expect(refusalOf(await run('skill:tiered__write', { session_id }))[2]).toBe('session.skills');
    const fork = await gateway.client.post<{ id: string }>(`/v1/sessions/${session_id}/fork`, {});
    expect(refusalOf(await run('skill:tiered__write', { session_id: fork.id }))[2]).toBe('session.skills');
  });

  it('[POL-SES-02] a session lowers the tier of its tasks and of its forks, and raises none', async () => {
    const session_id = await session({ metadata: { autonomy_tier: 'shadow' } });
    const before = calls().length;
    const withheld = await run('skill:tiered__write', { session_id });
    expect([withheld.status, calls().length]).toEqual(['COMPLETED', before]);
    expect((await receiptOf(withheld))['trust']).toMatchObject({ start_tier: 'shadow', end_tier: 'shadow' });
    const fork = await gateway.client.post<{ id: string }>(`/v1/sessions/${session_id}/fork`, {});
    await run('skill:tiered__write', { session_id: fork.id });
    expect(calls()).toHaveLength(before);
    const patch = (autonomy_tier: unknown) =>
      gateway.client.call('PATCH', `/v1/sessions/${session_id}`, { body: { metadata: { autonomy_tier } } });
    await patch('act_auto');
    const careful = await persona({ autonomy_tier: 'suggest' });
    const asked = await run('skill:tiered__read', { session_id, persona_id: careful });
    expect([asked.status, calls().length]).toEqual(['AUTH_REQUIRED', before]);
    expect((await verdictOf(withheld))?.['verdict']).toMatchObject({ status: 'byte_equal' });
    expect((await patch('act_freely')).status).toBe(400);
    const made = { workspace_id: 'workspace_default', metadata: { autonomy_tier: 7 } };
    const refused = await gateway.client.call('POST', '/v1/sessions', { body: made });
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { error: { param: 'metadata.autonomy_tier' } },
    ]);
  });

  it('[POL-MEM-01] memories of a session are given to the agent, recorded, told as an event, and the same in a replay', async () => {
    const { id } = await gateway.client.post<{ id: string }>('/v1/memories', {
      scope: 'workspace',
      owner_id: 'workspace_default',
      content: 'The tea is green.',
      provenance: { source: 'test' },
    });
    const session_id = await session({ memory_ids: [id] });
    const task = await run('a2a:sample', { session_id });
    expect(task.status).toBe('COMPLETED');
    const events = await gateway.client.events(`/v1/tasks/${task.id}/events`);
    const read = events.filter(({ event }) => event === 'agent.memory_read');
    expect(read.map(({ payload }) => payload)).toEqual([
      {
        memory_id: id,
        scope: 'workspace',
        content_sha256: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        material: `host:memory:${id}`,
      },
    ]);
    const { artifacts } = await gateway.client.get<{ artifacts: { id: string }[] }>(
      `/v1/outcomes/${task.outcome_id}`,
    );
    const answered = await gateway.client.call('GET', `/v1/artifacts/${artifacts[0]?.id}/content`);
    expect(answered.text).toContain('tea');
    const said = events.filter(({ event }) => event === 'user.message');
    expect(JSON.stringify(said)).not.toContain('tea');
    expect(await receiptOf(task)).toMatchObject({
      replay_input: {
        materials: expect.arrayContaining([
          expect.objectContaining({ id: `host:memory:${id}`, kind: 'host_fact' }),
        ]),
      },
    });
    await gateway.client.call('DELETE', `/v1/memories/${id}`);
    expect(await verdictOf(task)).toMatchObject({ verdict: { status: 'byte_equal' } });
    const later = await run('a2a:sample', { session_id });
    const kinds = (await gateway.client.events(`/v1/tasks/${later.id}/events`)).map(({ event }) => event);
    expect(kinds).not.toContain('agent.memory_read');
  });

  it('[POL-WSP-01] capabilities of a workspace limit what is done in it', async () => {
    const { id } = await gateway.client.post<{ id: string }>('/v1/workspaces', {
      name: 'Reading room',
      root: 'harn://reading-room',
    });
    const body = { capabilities: ['tool:read'] };
    await gateway.client.call('PATCH', `/v1/workspaces/${id}`, { body });
    const session_id = await session({ workspace_id: id });
    expect((await run('skill:tiered__read', { session_id })).status).toBe('COMPLETED');
    expect(refusalOf(await run('a2a:sample', { session_id }))[2]).toBe('workspace.capabilities');
  });
});
