import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PolicyExplanation } from '#resources/policy/schema.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { OTHER_TENANT } from '../../harness/tenants.ts';
import { tieredMcpServer } from '../../harness/tiered-mcp-server.ts';
import { runCommand } from '../../interop/command-line.ts';

describe('policy explain', () => {
  let gateway: TestGateway;
  let session = '';
  const dir = mkdtempSync(join(tmpdir(), 'harn-explain-'));
  const file = join(dir, 'calls');

  beforeAll(async () => {
    writeFileSync(file, '');
    const mcp = [{ id: 'tiered', command: tieredMcpServer(file) }];
    gateway = await startTestGateway({
      config: {
        ...OTHER_TENANT.config,
        workspaces: [...OTHER_TENANT.config.workspaces, { id: 'workspace_b' }],
        upstreams: { a2a: [], mcp },
        routing: { default: 'mcp:tiered' },
        quotas: [{ id: 'none-left', scope: 'persona', owner: 'nobody', limits: { tasks_per_hour: 1 } }],
      },
      keys: [
        OTHER_TENANT.key,
        { actor: 'reader', scopes: ['tasks:read'] },
        { actor: 'elsewhere', workspaces: ['workspace_b'] },
        { actor: 'admin_b', workspaces: ['workspace_b'], scopes: ['admin'] },
      ],
    });
    for (;;) {
      const { data } = await gateway.client.get<{ data: unknown[] }>('/v1/skills');
      if (data.length > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    session = (await gateway.client.session()).id;
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const explain = (asked: Record<string, string>, client = gateway.client) =>
    client.get<PolicyExplanation>(`/v1/admin/policy/explain?${new URLSearchParams(asked)}`);
  const persona = async (members: object) => {
    const given = { name: 'Clerk', version: '1', entry_workflow: 'none', description: '', ...members };
    const body = { autonomy_tier: 'act_auto', receipt_policy: 'optional', ...given };
    return (await gateway.client.post<{ id: string }>('/v1/personas', body)).id;
  };

  it.each([
    ['actor_test', 'allow', 'scope.held'],
    ['reader', 'refuse', 'scope.missing'],
    ['elsewhere', 'refuse', 'workspace.foreign'],
  ])(
    '[POL-EXP-01] %s submits to our session: %s by %s, as a real call is judged',
    async (actor, effect, rule) => {
      const said = await explain({ actor, operation: 'submitSessionTask', resource: session });
      expect(said).toMatchObject({ actor, decision: { effect, rule }, tier: null });
      expect(said.decision.because).toMatch(/\.$/);
      const decided = said.checks.findIndex(({ result }) => result === 'decided');
      expect(said.checks.slice(0, decided).every(({ result }) => result === 'passed')).toBe(true);
      expect(said.checks.slice(decided + 1).every(({ result }) => result === 'not_asked')).toBe(true);
      const client = gateway.clients[actor];
      const answer = await client?.call('POST', `/v1/sessions/${session}/tasks`, {
        body: { input: { skill_id: 'tiered__read', input: {} } },
      });
      expect((answer?.status ?? 0) < 300).toBe(effect === 'allow');
    },
  );

  it('[POL-EXP-01] a task is explained by its persona, session and tool', async () => {
    const base = { actor: 'actor_test', operation: 'submitTask' };
    expect(await explain({ ...base, skill: 'tiered__write' })).toMatchObject({
      decision: { effect: 'allow', rule: 'tier.act_auto.write' },
      tier: 'act_auto',
      side_effect: 'write',
    });
    const suggest = await persona({ autonomy_tier: 'suggest', tools: ['tiered__read'] });
    const asked = await explain({ ...base, skill: 'tiered__read', persona: suggest });
    expect(asked.decision).toMatchObject({ effect: 'ask', rule: 'tier.suggest.read' });
    const refused = await explain({ ...base, skill: 'tiered__write', persona: suggest });
    expect(refused.decision).toMatchObject({ effect: 'refuse', rule: 'persona.tools' });
    const limited = await gateway.client.post<{ id: string }>('/v1/sessions', {
      workspace_id: 'workspace_default',
      skill_ids: ['tiered__read'],
    });
    const bySession = await explain({ ...base, skill: 'tiered__write', session: limited.id });
    expect(bySession.decision.rule).toBe('session.skills');
    expect((await explain({ ...base, skill: 'mcp:tiered' })).side_effect).toBe('delegate');
  });

  it('[POL-EXP-01] the scopes of a token are judged without a key; an unknown actor, operation or skill is named', async () => {
    const token = { actor: 'https://issuer.example/ada', scopes: 'tasks:read,events:read' };
    expect(await explain({ ...token, operation: 'getTask', resource: session })).toMatchObject({
      credential: null,
      decision: { effect: 'allow' },
    });
    const params = async (asked: Record<string, string>) => {
      const answer = await gateway.client.call<{ error: { param: string } }>(
        'GET',
        `/v1/admin/policy/explain?${new URLSearchParams(asked)}`,
      );
      return [answer.status, answer.body.error.param];
    };
    expect(await params({ actor: 'nobody', operation: 'getTask' })).toEqual([404, 'actor']);
    expect(await params({ actor: 'reader', operation: 'toString' })).toEqual([400, 'operation']);
    const unknown = { actor: 'actor_test', operation: 'submitTask', skill: 'tiered__none' };
    expect(await params(unknown)).toEqual([404, 'skill']);
    expect(await params({ ...unknown, skill: 'tiered__read', persona: 'nobody' })).toEqual([404, 'persona']);
    const unheld = { actor: 'reader', operation: 'submitTask', persona: 'nobody' };
    expect(await params(unheld)).toEqual([404, 'persona']);
    expect(await params({ operation: 'getTask' })).toEqual([400, 'actor']);
  });

  it('[POL-EXP-02] whoever asks learns of nothing that is hidden from them', async () => {
    const ask = (resource: string, client?: TestGateway['client']) =>
      explain({ actor: 'elsewhere', operation: 'getSession', resource }, client);
    const admin = gateway.clients['admin_b'];
    const hidden = await ask(session, admin);
    expect({ ...(await ask('session_absent', admin)), resource: session }).toEqual(hidden);
    expect(hidden.decision.rule).toBe('tenant.foreign');
    const answer = await admin?.call('GET', '/v1/admin/policy/explain?actor=stranger&operation=getTask');
    expect(answer?.status).toBe(404);
  });

  it('[POL-EXP-01] the command prints the decision with its rule, and ends with 1 when it is refused', async () => {
    const run = (...args: string[]) =>
      runCommand(['policy', 'explain', ...args, '--url', gateway.url, '--key', gateway.client.key]);
    const allowed = await run(
      '--actor',
      'actor_test',
      '--operation',
      'submitTask',
      '--skill',
      'tiered__destructive',
    );
    expect([allowed.code, allowed.out.split('\n')[0]]).toEqual([0, 'ask  tier.act_auto.destructive']);
    expect(allowed.out).toContain('Under act_auto, a tool of class destructive waits for a permission.');
    const refused = await run('--actor', 'reader', '--operation', 'submitTask', '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({ decision: { effect: 'refuse', rule: 'scope.missing' } });
  });
});
