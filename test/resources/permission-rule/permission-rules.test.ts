import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { AuditEntry, RememberRule } from '#resources/permission-rule/schema.ts';
import type { PolicyExplanation } from '#resources/policy/schema.ts';
import type { Receipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import type { TrustRecord } from '#resources/trust/schema.ts';
import { allEvents, eventFindings } from '../../conformance/event-findings.ts';
import type { TestClient } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { OTHER_TENANT } from '../../harness/tenants.ts';
import { tieredMcpServer } from '../../harness/tiered-mcp-server.ts';

const ENDED = ['COMPLETED', 'FAILED', 'CANCELED', 'AUTH_REQUIRED'] as const;
const DESTRUCTIVE = {
  class: 'write',
  action_pattern: 'tiered__destructive',
  target_pattern: '**',
  allow: true,
};

describe('permission rules and the policy of a tenant', () => {
  let gateway: TestGateway;
  let data = '';
  let passed = 0;
  const clock = { now: () => Date.now() + passed, monotonic: () => performance.now() + passed };
  const dir = mkdtempSync(join(tmpdir(), 'harn-rules-'));
  const file = join(dir, 'calls');
  const calls = () => readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const client = () => gateway.client;
  const as = (actor: string): TestClient => gateway.clients[actor] as TestClient;

  beforeAll(async () => {
    writeFileSync(file, '');
    data = mkdtempSync(join(tmpdir(), 'harn-rules-data-'));
    await start();
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    for await (const step of checkData(data, systemClock, systemRandom))
      expect(step.kind).not.toBe('finding');
    for (const each of [dir, data]) rmSync(each, { recursive: true, force: true });
  });

  async function start(
    policy: object = { remember: { act_auto: 'always', suggest: 'session' } },
  ): Promise<void> {
    gateway = await startTestGateway({
      data,
      clock,
      config: {
        ...OTHER_TENANT.config,
        workspaces: [...OTHER_TENANT.config.workspaces, { id: 'workspace_four' }],
        upstreams: {
          a2a: [],
          mcp: [
            { id: 'tiered', command: tieredMcpServer(file) },
            { id: 'approved', command: tieredMcpServer(file), tools: { approve: ['read'] } },
          ],
        },
        routing: { default: 'mcp:tiered' },
        policy: { approvals: [{ workspace: 'workspace_four', four_eyes: true }], ...policy },
      },
      keys: [
        OTHER_TENANT.key,
        {
          actor: 'ada',
          scopes: [
            'permissions:read',
            'permissions:respond',
            'tasks:*',
            'tasks:write',
            'tasks:read',
            'sessions:write',
            'sessions:read',
          ],
        },
        { actor: 'reader', scopes: ['permissions:read'] },
        { actor: 'four', workspaces: ['workspace_four'] },
      ].map(({ scopes, ...key }: { actor: string; scopes?: string[] }) => ({
        ...key,
        ...(scopes === undefined ? {} : { scopes: scopes.filter((scope) => scope !== 'tasks:*') }),
      })),
    });
    const skills = () => client().get<{ data: unknown[] }>('/v1/skills?limit=200');
    while ((await skills()).data.length < 12) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  afterEach(async () => {
    for (const user of [client(), as(OTHER_TENANT.key.actor)])
      for (const { id } of await rules(user)) await revoke(id, user);
  });

  /** The same data, opened again. */
  async function restart(policy?: object): Promise<void> {
    await gateway.close();
    await start(policy);
  }

  const session = async (user = client(), workspace_id = 'workspace_default') =>
    (await user.post<{ id: string }>('/v1/sessions', { workspace_id })).id;

  async function run(tool: string, session_id: string, user = client()): Promise<Task> {
    const body = { session_id, input: { text: 'x' }, metadata: { route: `skill:tiered__${tool}` } };
    const { id } = await user.post<Task>('/v1/tasks', body);
    return user.until(id, ...ENDED);
  }

  const rule = async (members: object, user = client()) =>
    user.post<RememberRule>('/v1/permissions/rules', { ...DESTRUCTIVE, ...members });
  const refused = async (method: string, path: string, body: object, user = client()) => {
    const { status, body: told } = await user.call(method, path, { body });
    const { code, param, message } = (told as { error: { code: string; param?: string; message: string } })
      .error;
    return { status, code, param, message };
  };
  const revoke = (id: string, user = client()) => user.call('DELETE', `/v1/permissions/rules/${id}`);
  const rules = async (user = client()) =>
    (await user.get<{ data: RememberRule[] }>('/v1/permissions/rules')).data;
  const install = (policy: object) => client().call('PUT', '/v1/permissions/policy', { body: policy });
  const requestsOf = async ({ id }: Task) =>
    (await client().get<{ data: PermissionRequest[] }>(`/v1/tasks/${id}/permission-requests`)).data;
  const kindsOf = async ({ id }: Task) =>
    (await client().events(`/v1/tasks/${id}/events`)).map(({ event }) => event);
  const history = async (query: string) =>
    (await client().get<{ data: AuditEntry[] }>(`/v1/permissions/history?${query}`)).data;
  const verdictOf = async (task: Task) => {
    const { id } = await client().post<Task>(`/v1/tasks/${task.id}/replay`, { mode: 'exact' });
    await client().until(id, 'COMPLETED', 'FAILED');
    const events = await client().events(`/v1/tasks/${id}/events`);
    const ended = events.find(({ event }) => /^replay\.(completed|failed)$/.test(event));
    return (ended?.payload['verdict'] as { status: string } | undefined)?.status;
  };

  describe('the policy', () => {
    it('is empty until one is installed, and its version is the hash of what it says', async () => {
      expect(await client().get('/v1/permissions/policy')).toMatchObject({
        object: 'permission_policy',
        version: 'policy-42555047047904e9fb6d11ec',
        policy: { read: [], llm: { providers: [] }, escalate_to: [] },
        not_enforced: ['redact.transcript', 'redact.logs'],
      });
      const { status, body } = await install({ read: ['src/**'] });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        version: 'policy-6c183fc13a6e607536847cbf',
        policy: { read: ['src/**'] },
      });
      expect(await client().get('/v1/permissions/policy')).toEqual(body);
      // The other spelling, and other orders of the same, are the same policy.
      const wrapped = await install({ policy: { read: ['src/**', 'src/**'] } });
      expect(wrapped.body['version']).toBe('policy-6c183fc13a6e607536847cbf');
      await install({});
    });

    it('is of one tenant, and for administrators to install', async () => {
      await install({ read: ['mine/**'] });
      const other = as(OTHER_TENANT.key.actor);
      expect(await other.get('/v1/permissions/policy')).toMatchObject({ policy: { read: [] } });
      await other.call('PUT', '/v1/permissions/policy', { body: { read: ['mine/**'] } });
      const installed = (await allEvents(gateway.log)).filter(
        ({ event }) => event === 'vendor.harn_gateway.permission_policy_installed',
      );
      // Equal policies of two tenants have streams of their own.
      expect(installed.slice(-2).map(({ resource }) => resource.id)).toEqual([
        'tenant_default',
        OTHER_TENANT.tenant,
      ]);
      await other.call('PUT', '/v1/permissions/policy', { body: {} });
      expect(await refused('PUT', '/v1/permissions/policy', {}, as('ada'))).toMatchObject({
        status: 403,
        code: 'permission_denied',
      });
      await install({});
    });

    it.each([
      [{ read: ['ok', '['] }, 'read[1]', 'is no glob: it has a "[" without its "]"'],
      [{ write: [''] }, 'write[0]', ''],
      [{ exec: ['a'.repeat(513)] }, 'exec[0]', '512'],
      [{ net: Array.from({ length: 257 }, () => 'x') }, 'net', '256'],
      [{ read: Array.from({ length: 33 }, () => 'a'.repeat(500)) }, 'read', '16384 characters in all'],
      [{ exec: ['{a,b}'.repeat(17)] }, 'exec[0]', 'is no glob: it has more than 16 "{"'],
      [{ net: 'x' }, 'net', ''],
      [{ llm: { cost_ceiling_usd_cents: -1 } }, 'llm.cost_ceiling_usd_cents', ''],
      [{ llm: { cost_ceiling_usd_cents: 1.5 } }, 'llm.cost_ceiling_usd_cents', ''],
      [{ redact: { logs: ['{'] } }, 'redact.logs[0]', '"{" without its "}"'],
      [{ escalate_to: [1] }, 'escalate_to[0]', ''],
      [{ write: [`ghp_${'a'.repeat(36)}`] }, 'write', 'secret'],
      [[], 'body', ''],
      [{ zz: 1 }, 'zz', 'is no member of this request'],
      [{ read: ['a'], writes: ['b'] }, 'writes', 'is no member'],
      [{ llm: { providers: [], cost_ceiling: 1 } }, 'llm.cost_ceiling', 'is no member'],
      [{ redact: { log: [] } }, 'redact.log', 'is no member'],
      [{ policy: { policy: {} } }, 'policy.policy', 'is no member'],
      [{ policy: { read: ['a'] }, write: ['b'] }, 'write', 'beside policy'],
      [{ ['x'.repeat(300)]: 1 }, `${'x'.repeat(200)}…`, 'is no member'],
    ])('%.60j is refused, naming %s', async (policy, param, words) => {
      const told = await refused('PUT', '/v1/permissions/policy', policy);
      expect(told).toMatchObject({ status: 400, code: 'invalid_request', param });
      expect(told.message).toContain(words);
      expect(await client().get('/v1/permissions/policy')).toMatchObject({ policy: { read: [], write: [] } });
    });

    it('shows whom it names twice once', async () => {
      const { body } = await install({ llm: { providers: ['openai', 'anthropic', 'openai'] } });
      expect(body).toMatchObject({ policy: { llm: { providers: ['openai', 'anthropic'] } } });
      expect(await client().get('/v1/permissions/policy')).toEqual(body);
      await install({});
    });

    it('of megabytes is refused before it is read', async () => {
      const { status } = await install({ read: Array.from({ length: 200_000 }, () => 'a'.repeat(100)) });
      expect(status).toBe(413);
    });
  });

  describe('a rule', () => {
    it('is made, listed narrowest scope first, and revoked', async () => {
      const where = await session();
      const made = [
        await rule({ scope: 'always', allow: false, class: 'net' }),
        await rule({ scope: 'user', class: 'net', reason: 'mine' }),
        await rule({ scope: 'workspace', scope_value: 'workspace_default', class: 'net' }),
        await rule({ scope: 'session', scope_value: where, class: 'net' }),
      ];
      const own = { id: 'mine', created_by: 'somebody', created_at: '2000-01-01T00:00:00.000Z' };
      const [listedLast] = made;
      expect(
        await rule({ ...own, tenant_id: OTHER_TENANT.tenant, scope: 'user', class: 'llm' }),
      ).toMatchObject({
        id: expect.stringMatching(/^rule_/),
        tenant_id: 'tenant_default',
        created_by: 'actor_test',
        scope_value: 'actor_test',
        revoked_at: null,
      });
      const listed = (await rules()).map(({ scope, class: of }) => `${scope} ${of}`);
      expect(listed).toEqual(['session net', 'workspace net', 'user net', 'user llm', 'always net']);
      const first = await client().get<{ data: RememberRule[]; next_cursor: string }>(
        '/v1/permissions/rules?limit=2',
      );
      const rest = await client().get<{ data: RememberRule[] }>(
        `/v1/permissions/rules?cursor=${first.next_cursor}`,
      );
      expect([...first.data, ...rest.data]).toEqual(await rules());
      for (const { id } of await rules()) expect((await revoke(id)).status).toBe(204);
      expect(await rules()).toEqual([]);
      expect((await revoke(listedLast?.id ?? '')).status).toBe(404);
    });

    it.each([
      [{ scope: 'galaxy' }, 400, 'scope'],
      [{ scope: 'session' }, 400, 'scope_value'],
      [{ scope: 'session', scope_value: 'session_0' }, 404, 'scope_value'],
      [{ scope: 'workspace', scope_value: 'workspace_two' }, 404, 'scope_value'],
      [{ scope: 'always', scope_value: 'x' }, 400, 'scope_value'],
      [{ scope: 'user', class: 'all' }, 400, 'class'],
      [{ scope: 'user', action_pattern: '[' }, 400, 'action_pattern'],
      [{ scope: 'user', target_pattern: '' }, 400, 'target_pattern'],
      [{ scope: 'user', target_pattern: '*'.repeat(513) }, 400, 'target_pattern'],
      [{ scope: 'user', target_pattern: `ghp_${'a'.repeat(36)}` }, 400, 'target_pattern'],
      [{ scope: 'user', expires_at: 'tomorrow' }, 400, 'expires_at'],
      [{ scope: 'user', expires_at: '2020-01-01T00:00:00Z' }, 400, 'expires_at'],
      [{ scope: 'user', allow: 'yes' }, 400, 'allow'],
      [{ scope: 'user', reason: 'x'.repeat(2_001) }, 400, 'reason'],
      [{ scope: 'user', revoked_at: '2020-01-01T00:00:00Z' }, 400, 'revoked_at'],
      [{ scope: 'user', actor: 'ada' }, 400, 'actor'],
      [{ scope: 'user', expires: '2030-01-01T00:00:00Z' }, 400, 'expires'],
    ])('%.60j is refused with %d, naming %s', async (members, status, param) => {
      const body = { ...DESTRUCTIVE, ...members };
      expect(await refused('POST', '/v1/permissions/rules', body)).toMatchObject({ status, param });
      expect(await rules()).toEqual([]);
    });

    it.each([
      ['workspace', 'workspace_default'],
      ['always', undefined],
      ['user', 'actor_test'],
    ])('of scope %s takes the scope admin', async (scope, scope_value) => {
      const body = { ...DESTRUCTIVE, scope, ...(scope_value ? { scope_value } : {}) };
      expect(await refused('POST', '/v1/permissions/rules', body, as('ada'))).toMatchObject({
        status: 403,
        code: 'permission_denied',
      });
    });

    it('names the older ones that answer otherwise before it', async () => {
      const where = await session();
      const members = { scope: 'session', scope_value: where };
      const wide = await rule({ ...members, action_pattern: 'tiered__*' });
      const narrow = await rule({ ...members, action_pattern: 'tiered__write', target_pattern: 'src/**' });
      expect(narrow).not.toHaveProperty('overridden_by');
      const denied = await rule({ ...members, target_pattern: 'src/**', allow: false });
      expect(denied).toMatchObject({ overridden_by: [wide.id] });
      expect((await rules()).find(({ id }) => id === denied.id)).not.toHaveProperty('overridden_by');
      expect(await rule({ ...members, class: 'net', allow: false })).not.toHaveProperty('overridden_by');
      await revoke(wide.id);
      expect(await rule({ ...members, allow: false })).not.toHaveProperty('overridden_by');
    });

    it("of one user is another one's to see or to revoke only for administrators", async () => {
      const hers = await rule({ scope: 'user' }, as('ada'));
      const mine = await rule({ scope: 'user' });
      expect((await rules(as('ada'))).map(({ id }) => id)).toEqual([hers.id]);
      expect((await rules()).length).toBe(2);
      expect((await revoke(mine.id, as('ada'))).status).toBe(403);
      expect((await revoke(hers.id, as(OTHER_TENANT.key.actor))).status).toBe(404);
      expect((await revoke(hers.id)).status).toBe(204);
      await revoke(mine.id);
    });

    it('too many of them are a conflict, and those that have expired make room', async () => {
      const where = await session();
      const expires_at = new Date(clock.now() + 60_000).toISOString();
      const body = { ...DESTRUCTIVE, target_pattern: 'x', scope: 'session', scope_value: where, expires_at };
      for (let made = 0; made < 100; made += 1) await rule(body);
      expect(await refused('POST', '/v1/permissions/rules', body)).toMatchObject({
        status: 409,
        code: 'conflict',
      });
      passed += 61_000;
      expect(await rules()).toEqual([]);
      const { id } = await rule({ ...body, expires_at: null });
      expect((await rules()).map((rule) => rule.id)).toEqual([id]);
      await revoke(id);
    });
  });

  describe('what a rule answers', () => {
    it('is not asked: the call is made, and everything says by which rule', async () => {
      const where = await session();
      const made = await rule({ scope: 'session', scope_value: where, reason: 'as agreed' });
      const before = calls().length;
      const task = await run('destructive', where);
      expect(task.status).toBe('COMPLETED');
      expect(calls().length).toBe(before + 1);
      const kinds = await kindsOf(task);
      expect(kinds).toEqual(expect.arrayContaining(['tool.approval_required', 'tool.approved']));
      expect(kinds).not.toContain('task.auth_required');
      const [request] = await requestsOf(task);
      const version = 'policy-42555047047904e9fb6d11ec';
      expect(request).toMatchObject({
        status: 'approved',
        request: { answered_by: { rule_id: made.id, policy_version: version } },
        response: { reviewer: null, reason: 'permission_rule', rule_id: made.id, policy_version: version },
      });
      const receipt = (await client().get<Receipt>(`/v1/receipts/${task.receipt_id}`)).wire.payload;
      expect(receipt.approvals).toMatchObject([{ approval_id: request?.id, actor: `policy:${made.id}` }]);
      expect(JSON.stringify(receipt)).toContain(`"rule_id":"${made.id}"`);
      const records = await client().get<{ data: TrustRecord[] }>('/v1/trust-records?limit=200');
      const proof = records.data.find(({ metadata }) => metadata['request_id'] === request?.id);
      expect(proof).toMatchObject({
        approver: null,
        metadata: { rule_id: made.id, policy_version: version },
      });
      expect(await history(`session_id=${where}`)).toMatchObject([
        {
          outcome: 'granted',
          rule_id: made.id,
          scope: 'session',
          risk: 'critical',
          decided_by: null,
          request: { actor: 'actor_test', class: 'write', action: 'tiered__destructive' },
        },
      ]);
      await revoke(made.id);
      // Replays are held to what was answered then.
      expect(await verdictOf(task)).toBe('byte_equal');
      expect((await run('destructive', where)).status).toBe('AUTH_REQUIRED');
    });

    it('may be a refusal, of what the tier would do without asking too', async () => {
      const where = await session();
      const made = await rule({
        scope: 'session',
        scope_value: where,
        action_pattern: 'tiered__w*',
        allow: false,
      });
      const before = calls().length;
      const task = await run('write', where);
      expect(task).toMatchObject({ status: 'FAILED', failure: { code: 'policy_violation' } });
      expect(task.failure?.details).toMatchObject({ rule: `permission.${made.id}` });
      expect(calls().length).toBe(before);
      expect(await kindsOf(task)).toContain('tool.denied');
      expect(await history(`session_id=${where}&outcome=denied`)).toMatchObject([{ rule_id: made.id }]);
      expect(await verdictOf(task)).toBe('byte_equal');
      // A task of somebody who is in the session is no exception.
      expect((await run('write_idempotent', where)).status).toBe('FAILED');
      expect((await run('read', where)).status).toBe('COMPLETED');
    });

    it('is explained by the same engine, for a call that nobody has made', async () => {
      const where = await session();
      const explain = async (skill: string) => {
        const query = new URLSearchParams({ actor: 'ada', operation: 'submitTask', skill, session: where });
        return client().get<PolicyExplanation>(`/v1/admin/policy/explain?${query}`);
      };
      const ask = { effect: 'ask', rule: 'tier.act_auto.destructive' };
      expect((await explain('tiered__destructive')).decision).toMatchObject(ask);
      const allowed = await rule({ scope: 'workspace', scope_value: 'workspace_default' });
      const denied = await rule({
        scope: 'always',
        allow: false,
        class: 'read',
        action_pattern: 'tiered__read',
      });
      expect((await explain('tiered__destructive')).decision).toMatchObject({
        effect: 'allow',
        rule: `permission.${allowed.id}`,
      });
      const { decision, checks } = await explain('tiered__read');
      expect(decision).toMatchObject({ effect: 'refuse', rule: `permission.${denied.id}` });
      expect(checks).toContainEqual({ check: 'permission_denied', result: 'decided' });
    });

    it('is what waits already, as soon as the rule is made', async () => {
      const where = await session();
      const task = await run('destructive', where);
      expect(task.status).toBe('AUTH_REQUIRED');
      const made = await rule({ scope: 'user' });
      expect((await client().until(task.id, 'COMPLETED', 'FAILED')).status).toBe('COMPLETED');
      expect((await requestsOf(task))[0]?.response).toMatchObject({
        rule_id: made.id,
        reason: 'permission_rule',
      });
      expect(await verdictOf(task)).toBe('byte_equal');
      await revoke(made.id);
    });

    it('is what the policy of the tenant grants, by its version', async () => {
      const where = await session();
      const { body } = await install({ write: ['tiered__*'] });
      const task = await run('destructive', where);
      expect(task.status).toBe('COMPLETED');
      expect((await requestsOf(task))[0]?.response).toMatchObject({
        rule_id: null,
        policy_version: body['version'],
        reason: 'permission_policy',
      });
      await install({});
      expect((await run('destructive', where)).status).toBe('AUTH_REQUIRED');
    });

    it('holds for the tasks of whoever made it, and of administrators for those of everybody', async () => {
      const where = await session();
      const hers = await rule({ scope: 'session', scope_value: where }, as('ada'));
      expect(hers.actor).toBe('ada');
      expect((await run('destructive', where)).status).toBe('AUTH_REQUIRED');
      const place = await session();
      await rule({ scope: 'session', scope_value: place }, as('ada'));
      expect((await run('destructive', place, as('ada'))).status).toBe('COMPLETED');
      const all = await rule({ scope: 'workspace', scope_value: 'workspace_default' });
      expect((await run('destructive', await session(), as('ada'))).status).toBe('COMPLETED');
      await revoke(all.id);
    });

    it('ends with its session', async () => {
      const where = await session();
      const made = await rule({ scope: 'session', scope_value: where });
      await client().post(`/v1/sessions/${where}/close`);
      expect((await rules()).map(({ id }) => id)).not.toContain(made.id);
      expect(
        await refused('POST', '/v1/permissions/rules', {
          ...DESTRUCTIVE,
          scope: 'session',
          scope_value: where,
        }),
      ).toMatchObject({ status: 409, param: 'scope_value' });
    });

    it('ends at its time', async () => {
      const where = await session();
      const expires_at = new Date(clock.now() + 30_000).toISOString();
      await rule({ scope: 'session', scope_value: where, expires_at });
      expect((await run('destructive', where)).status).toBe('COMPLETED');
      passed += 31_000;
      expect((await run('destructive', where)).status).toBe('AUTH_REQUIRED');
    });

    it('stays in its tenant', async () => {
      const other = as(OTHER_TENANT.key.actor);
      const made = await rule({ scope: 'always' });
      const place = await session(other, OTHER_TENANT.key.workspaces[0]);
      expect((await run('destructive', place, other)).status).toBe('AUTH_REQUIRED');
      expect(await rules(other)).toEqual([]);
      const theirs = await rule({ scope: 'always', allow: false }, other);
      expect((await run('destructive', await session())).status).toBe('COMPLETED');
      await revoke(made.id);
      await revoke(theirs.id, other);
    });

    it('is found again after a stop, and so is what it answers', async () => {
      const where = await session();
      const task = await run('destructive', where);
      const made = await rule({ scope: 'session', scope_value: await session() });
      await restart();
      expect((await rules()).map(({ id }) => id)).toContain(made.id);
      const after = await rule({ scope: 'session', scope_value: where });
      expect((await client().until(task.id, 'COMPLETED')).status).toBe('COMPLETED');
      expect((await requestsOf(task))[0]?.response?.rule_id).toBe(after.id);
      for (const { id } of await rules()) await revoke(id);
    });
  });

  describe('what the operator says', () => {
    afterAll(() => restart());

    it('no rule loosens: what is called one by one, by several people, or never', async () => {
      const made = await rule({ scope: 'always', action_pattern: '**' });
      await install({ read: ['**'], write: ['**'] });
      const held = {
        session_id: await session(),
        input: { text: 'x' },
        metadata: { route: 'skill:approved__read' },
      };
      const { id } = await client().post<Task>('/v1/tasks', held);
      expect((await client().until(id, ...ENDED)).status).toBe('AUTH_REQUIRED');
      const four = as('four');
      expect((await run('destructive', await session(four, 'workspace_four'), four)).status).toBe(
        'AUTH_REQUIRED',
      );
      const shadow = await client().post<{ id: string }>('/v1/sessions', {
        workspace_id: 'workspace_default',
        metadata: { autonomy_tier: 'shadow' },
      });
      const before = calls().length;
      await run('read', shadow.id);
      expect(calls().length).toBe(before);
      await revoke(made.id);
      await install({});
    });

    it('holds for what was made before: a rule or a policy that reaches further waits', async () => {
      const where = await session();
      const made = await rule({ scope: 'workspace', scope_value: 'workspace_default' });
      await install({ write: ['**'] });
      await restart({ remember: { act_auto: 'session' } });
      expect((await run('destructive', where)).status).toBe('AUTH_REQUIRED');
      const check = {
        session_id: where,
        actor: 'actor_test',
        class: 'write',
        action: 'tiered__destructive',
        target: 'x',
      };
      expect(await client().post('/v1/permissions/check', check)).toMatchObject({
        decision: { outcome: 'suspend', reason: expect.stringContaining('policy.remember') },
      });
      const narrow = await rule({ scope: 'session', scope_value: where });
      expect((await run('destructive', where)).status).toBe('COMPLETED');
      for (const { id } of [made, narrow]) await revoke(id);
      await install({});
    });

    it('nothing is remembered where it says never, but what is denied', async () => {
      await restart({});
      const where = await session();
      const body = { ...DESTRUCTIVE, scope: 'session', scope_value: where };
      expect(await refused('POST', '/v1/permissions/rules', body)).toMatchObject({
        status: 422,
        code: 'policy_violation',
        param: 'scope',
      });
      await rule({ ...body, allow: false });
      expect((await run('destructive', where)).status).toBe('FAILED');
    });
  });

  describe('an answer that is remembered', () => {
    const respond = async (task: Task, body: object, user = client()) => {
      const [request] = await requestsOf(task);
      return user.call('POST', `/v1/permission-requests/${request?.id}/respond`, { body });
    };

    it('becomes a rule about the same action and target, for the tasks of whoever gave it', async () => {
      const where = await session();
      const task = await run('destructive', where);
      const { body } = await respond(task, { approved: true, remember: true, scope: 'workspace' });
      const response = body['response'] as PermissionRequest['response'];
      expect(response).toMatchObject({ remembered: 'workspace', reviewer: 'actor_test' });
      const [made] = await rules();
      expect(made).toMatchObject({
        id: response?.remembered_as,
        scope: 'workspace',
        scope_value: 'workspace_default',
        class: 'write',
        action_pattern: 'tiered__destructive',
        target_pattern: 'tiered__destructive',
        allow: true,
        actor: 'actor_test',
        request_id: body['id'],
      });
      expect((await run('destructive', await session())).status).toBe('COMPLETED');
      expect((await run('destructive', await session(), as('ada'))).status).toBe('AUTH_REQUIRED');
      await revoke(made?.id ?? '');
    });

    it('may be a denial with patterns of its own, until a time', async () => {
      const where = await session();
      const expires_at = new Date(clock.now() + 3_600_000).toISOString();
      const patterns = { action_pattern: 'tiered__d*', target_pattern: '**', class: 'write', expires_at };
      await respond(await run('destructive', where), { approved: false, remember: true, ...patterns });
      expect(await rules()).toMatchObject([
        { allow: false, scope: 'session', scope_value: where, ...patterns },
      ]);
      expect((await run('destructive', where)).status).toBe('FAILED');
      for (const { id } of await rules()) await revoke(id);
    });

    it.each([
      [{ scope: 'galaxy' }, 400, 'scope'],
      [{ action_pattern: '[' }, 400, 'action_pattern'],
      [{ expires_at: '2020-01-01T00:00:00Z' }, 400, 'expires_at'],
      [{ class: 'all' }, 400, 'class'],
      [{ target_pattern: `ghp_${'a'.repeat(36)}` }, 422, 'target_pattern'],
    ])('with %.50j is refused with %d, and the request stays open', async (members, status, param) => {
      const task = await run('destructive', await session());
      const told = await respond(task, { approved: true, remember: true, ...members });
      expect([told.status, (told.body['error'] as { param: string }).param]).toEqual([status, param]);
      expect((await client().get<Task>(`/v1/tasks/${task.id}`)).status).toBe('AUTH_REQUIRED');
      expect(await rules()).toEqual([]);
    });

    it('takes the actor of the task, and one who may answer alone', async () => {
      const hers = await run('destructive', await session(), as('ada'));
      const told = await respond(hers, { approved: true, remember: true });
      expect([told.status, (told.body['error'] as { param: string }).param]).toEqual([422, 'remember']);
      const four = as('four');
      const task = await run('destructive', await session(four, 'workspace_four'), four);
      const list = await four.get<{ data: PermissionRequest[] }>(`/v1/tasks/${task.id}/permission-requests`);
      const body = { approved: false, remember: true };
      const { status } = await four.call('POST', `/v1/permission-requests/${list.data[0]?.id}/respond`, {
        body,
      });
      expect(status).toBe(422);
      expect(await rules(four)).toEqual([]);
    });

    it('is an answer to its request alone where nothing is said of remembering', async () => {
      const where = await session();
      const ignored = {
        remember: null,
        scope: null,
        expires_at: null,
        action_pattern: null,
        target_pattern: null,
        class: null,
      };
      expect((await respond(await run('destructive', where), { approved: true, ...ignored })).status).toBe(
        200,
      );
      expect(await rules()).toEqual([]);
    });
  });

  describe('the history', () => {
    it('comes in pages, newest first, each entry once, of requests and checks alike', async () => {
      const where = await session();
      const asked = { session_id: where, actor: 'actor_test', class: 'write', action: 'a' };
      const first = await run('destructive', where);
      for (const target of ['b', 'c']) await client().post('/v1/permissions/check', { ...asked, target });
      // Asked before the checks and answered after them.
      const [request] = await requestsOf(first);
      passed += 10;
      await client().post(`/v1/permission-requests/${request?.id}/respond`, { approved: false });
      type Page = { data: AuditEntry[]; page: { has_more: boolean; next_cursor: string | null } };
      const pageAt = (cursor: string | null) =>
        client().get<Page>(
          `/v1/permissions/history?session_id=${where}&limit=1${cursor ? `&cursor=${cursor}` : ''}`,
        );
      const whole = await history(`session_id=${where}`);
      expect(whole.map(({ request: { target }, outcome }) => `${target} ${outcome}`)).toEqual([
        'tiered__destructive denied',
        'c escalated',
        'b escalated',
      ]);
      const read: AuditEntry[] = [];
      let cursor: string | null = null;
      for (let more = true; more; ) {
        const { data, page }: Page = await pageAt(cursor);
        expect(page.has_more).toBe(page.next_cursor !== null);
        read.push(...data);
        // What happens meanwhile moves no page.
        await client().post('/v1/permissions/check', { ...asked, target: `meanwhile ${read.length}` });
        cursor = page.next_cursor;
        more = page.has_more;
      }
      expect(read).toEqual(whole);
      const [one, rest] = [await pageAt(null), await history(`session_id=${where}&outcome=denied&limit=1`)];
      expect([one.page.has_more, rest.length]).toEqual([true, 1]);
      expect(await client().call('GET', '/v1/permissions/history?cursor=zz')).toMatchObject({
        status: 400,
        body: { error: { param: 'cursor' } },
      });
    });
  });

  describe('a check', () => {
    const check = (members: object, user = client()) =>
      user.call('POST', '/v1/permissions/check', { body: members });

    it('says what would be answered, and is told in the history, equal ones of a minute once', async () => {
      const where = await session();
      const made = await rule({ scope: 'session', scope_value: where, target_pattern: 'src/**' });
      const asked = { session_id: where, actor: 'actor_test', class: 'write', action: 'tiered__destructive' };
      const granted = await check({
        ...asked,
        id: 'check-1',
        target: 'src/a.ts',
        context: { why: 'tested' },
      });
      expect(granted.body).toMatchObject({
        object: 'permission_decision',
        request_id: 'check-1',
        decision: { outcome: 'granted', scope: 'session', rule_id: made.id },
      });
      for (let more = 0; more < 3; more += 1) await check({ ...asked, target: 'src/a.ts' });
      const suspended = await check({ ...asked, target: 'test/a.ts' });
      expect(suspended.body['request_id']).toMatch(/^permission_check_/);
      expect(suspended.body['decision']).toEqual({
        outcome: 'suspend',
        policy_version: 'policy-42555047047904e9fb6d11ec',
        escalate_to: ['user'],
        reason: null,
      });
      expect(await history(`session_id=${where}`)).toMatchObject([
        { outcome: 'escalated', scope: null, rule_id: null },
        {
          outcome: 'granted',
          scope: 'session',
          rule_id: made.id,
          request: { id: 'check-1', target: 'src/a.ts' },
        },
      ]);
      expect(await history(`session_id=${where}&outcome=granted`)).toHaveLength(1);
      expect(await history(`session_id=${where}&limit=1`)).toHaveLength(1);
      expect(await history(`session_id=${where}&actor=nobody`)).toEqual([]);
      passed += 61_000;
      await check({ ...asked, target: 'src/a.ts' });
      const told = (await allEvents(gateway.log)).filter(
        ({ event }) => event === 'vendor.harn_gateway.permission_checked',
      );
      expect(told.at(-1)?.payload['unrecorded']).toBe(3);
      expect(await history(`session_id=${where}`)).toHaveLength(3);
      await revoke(made.id);
    });

    it.each([
      ['write', 'src/**', 'src/../etc/passwd', 'suspend'],
      ['write', 'src/**', 'src/./lib//a.ts', 'granted'],
      ['read', '/srv/**', '/srv/../../etc/passwd', 'suspend'],
      ['net', 'api.example', 'https://API.example:8443/v1', 'granted'],
      ['net', 'api.example', 'API.example:8443', 'granted'],
      ['net', 'api.example', 'https://api.example.evil/', 'suspend'],
      ['exec', 'ls', 'ls; rm -r x', 'suspend'],
    ])('of %s judges by %s what would be judged of %s: %s', async (of, pattern, target, outcome) => {
      const where = await session();
      await rule({ scope: 'session', scope_value: where, class: of, target_pattern: pattern });
      const { body } = await check({
        session_id: where,
        actor: 'actor_test',
        class: of,
        action: 'tiered__destructive',
        target,
      });
      expect(body).toMatchObject({ decision: { outcome } });
    });

    it.each([
      [{ session_id: 'session_0' }, 404, 'session_id'],
      [{ workspace_id: 'workspace_two' }, 404, 'workspace_id'],
      [{ tenant_id: 'tenant_two' }, 404, 'tenant_id'],
      [{ class: 'x' }, 400, 'class'],
      [{ action: '' }, 400, 'action'],
      [{ target: 'x'.repeat(20_001) }, 400, 'target'],
      [{ risk: 'none' }, 400, 'risk'],
      [{ context: [] }, 400, 'context'],
      [{ resk: 'low' }, 400, 'resk'],
    ])('with %.40j is refused with %d, naming %s', async (members, status, param) => {
      const asked = {
        actor: 'actor_test',
        class: 'write',
        action: 'a',
        target: 'b',
        session_id: await session(),
      };
      expect(await refused('POST', '/v1/permissions/check', { ...asked, ...members })).toMatchObject({
        status,
        param,
      });
    });

    it('for another actor is for administrators, and rules are not for whoever only reads', async () => {
      const where = await session();
      const asked = { session_id: where, actor: 'actor_test', class: 'write', action: 'a', target: 'b' };
      expect((await check(asked, as('reader'))).status).toBe(403);
      expect((await check({ ...asked, actor: 'reader' }, as('reader'))).status).toBe(200);
      expect((await check({ ...asked, actor: 'ada' })).status).toBe(200);
      const body = { ...DESTRUCTIVE, scope: 'user' };
      expect(await refused('POST', '/v1/permissions/rules', body, as('reader'))).toMatchObject({
        status: 403,
      });
      expect((await as('reader').call('GET', `/v1/permissions/history?tenant_id=tenant_two`)).status).toBe(
        404,
      );
    });
  });
});
