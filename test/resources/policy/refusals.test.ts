import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { TrustRecord } from '#resources/trust/schema.ts';
import { AskingClient } from '../../harness/asking-client.ts';
import { type TestClient, userText } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { OTHER_TENANT } from '../../harness/tenants.ts';

const KIND = 'vendor.harn_gateway.call_refused';
const quota = (id: string, hard_limit: boolean) => ({
  id,
  scope: 'workspace',
  owner: `workspace_${id}`,
  limits: { tasks_per_hour: 1 },
  hard_limit,
});

describe('a call that the policy refuses', () => {
  let root: string;
  let gateway: TestGateway;
  let passed = 0;
  const clock = { now: () => Date.now() + passed, monotonic: () => performance.now() + passed };
  const agent = new AskingClient();

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'harn-refusals-'));
    writeFileSync(join(root, 'token'), 'agent-credential-51c7');
    gateway = await startTestGateway({
      data: mkdtempSync(join(root, 'data-')),
      clock,
      extraClients: [agent],
      config: {
        tenants: OTHER_TENANT.config.tenants,
        workspaces: [...OTHER_TENANT.config.workspaces, { id: 'workspace_hard' }, { id: 'workspace_soft' }],
        quotas: [quota('hard', true), quota('soft', false)],
        vaults: [{ id: 'files', provider: 'file', dir: root, workspace: 'workspace_hard' }],
        upstreams: {
          a2a: [
            {
              id: 'shop',
              card: 'http://127.0.0.1:9/.well-known/agent-card.json',
              auth: { type: 'bearer', value: { vault: 'files/token' } },
            },
          ],
        },
        policy: { approvals: [{ four_eyes: true }] },
      },
      keys: [
        OTHER_TENANT.key,
        { actor: 'worker', workspaces: ['workspace_default', 'workspace_hard', 'workspace_soft'] },
        { actor: 'reader', scopes: ['tasks:read'], workspaces: ['workspace_default'] },
      ],
    });
  });
  afterAll(async () => {
    await gateway.close();
    for await (const step of checkData(gateway.data, systemClock, systemRandom))
      expect(step).toMatchObject({ kind: 'progress' });
    rmSync(root, { recursive: true });
  });

  const as = (name: string): TestClient => gateway.clients[name] as TestClient;

  const told = async (client: TestClient) =>
    (await client.events('/v1/events')).filter(({ event }) => event === KIND);

  /** What is recorded without letting the caller wait is there when something later is. */
  async function recordedOf(actor: string, client = as('worker')) {
    await gateway.client.session();
    return (await told(client)).filter((event) => event.actor === actor);
  }

  async function recordOf(eventId: string, client = as('worker')): Promise<TrustRecord | undefined> {
    const { data } = await client.get<{ data: TrustRecord[] }>('/v1/trust-records?limit=200');
    return data.find(({ metadata }) => metadata['event_id'] === eventId);
  }

  async function submit(workspace_id: string, metadata: object = {}) {
    const session = await as('worker').post<{ id: string }>('/v1/sessions', { workspace_id });
    const body = { session_id: session.id, input: userText('hi'), metadata };
    const answer = await as('worker').call('POST', '/v1/tasks', { body });
    return { session, answer };
  }

  it.each([
    ['a hard quota', 'workspace_hard', { route: agent.route }, 422, 'policy_violation', 'quota.hard'],
    ['a soft quota', 'workspace_soft', { route: agent.route }, 429, 'rate_limited', 'quota.soft'],
    ['a vault', 'workspace_default', { route: 'a2a:shop' }, 422, 'policy_violation', 'vault.workspace'],
  ])('[POL-REF-01] for %s is an event of its session and a trust record', async (...row) => {
    const [, workspace, metadata, status, code, rule] = row;
    if (rule.startsWith('quota.')) expect((await submit(workspace, metadata)).answer.status).toBe(202);
    const { session, answer } = await submit(workspace, metadata);
    expect(answer).toMatchObject({ status, body: { error: { code, details: { rule } } } });
    const [event] = (await as('worker').events(`/v1/sessions/${session.id}/events`)).filter(
      (found) => found.event === KIND,
    );
    expect(event).toMatchObject({
      actor: 'worker',
      workspace_id: workspace,
      resource: { object: 'session', id: session.id },
      payload: { operation: 'submitTask', code, rule, unrecorded: 0 },
    });
    expect(await recordOf(event?.id ?? '')).toMatchObject({
      agent: 'worker',
      action: 'call:submitTask',
      approver: null,
      outcome: 'denied',
      metadata: { rule, session_id: session.id, topic: `workspace:${workspace}` },
    });
  });

  it('[POL-REF-01] for four eyes names the request and the task, and leaves the stream of the task alone', async () => {
    const task = await as('worker').submit('tool', undefined, { route: agent.route });
    await as('worker').until(task.id, 'AUTH_REQUIRED');
    const path = `/v1/tasks/${task.id}/permission-requests`;
    const [request] = (await as('worker').get<{ data: PermissionRequest[] }>(path)).data;
    const body = { approved: true };
    const answer = await as('worker').call('POST', `/v1/permission-requests/${request?.id}/respond`, {
      body,
    });
    expect(answer.status).toBe(422);
    const event = (await told(as('worker'))).find(
      ({ payload }) => (payload as JsonObject)['operation'] === 'respondPermissionRequest',
    );
    expect(event).toMatchObject({ task_id: null, payload: { rule: 'approvals.four_eyes' } });
    const ids = { request_id: request?.id, task_id: task.id, session_id: task.session_id };
    expect(await recordOf(event?.id ?? '')).toMatchObject({ outcome: 'denied', metadata: ids });
    await as('worker').post(`/v1/tasks/${task.id}/cancel`);
  });

  it('[POL-REF-02] for a missing scope is told once a minute, with the number of those that were not', async () => {
    for (let times = 0; times < 3; times += 1) {
      expect((await as('reader').call('GET', '/v1/quotas')).status).toBe(403);
      expect((await as('reader').call('POST', '/v1/sessions', { body: {} })).status).toBe(403);
    }
    const unrecorded = async () => (await recordedOf('reader')).map(({ payload }) => payload['unrecorded']);
    expect(await unrecorded()).toEqual([0, 0]);
    expect(await recordedOf('reader', as(OTHER_TENANT.key.actor))).toEqual([]);
    passed += 60_000;
    await as('reader').call('GET', '/v1/quotas');
    expect(await unrecorded()).toEqual([0, 0, 2]);
    expect((await recordedOf('reader')).at(-1)).toMatchObject({
      resource: { object: 'workspace', id: 'workspace_default' },
      payload: { operation: 'listQuotas', code: 'permission_denied', rule: 'scope.missing' },
    });
  });

  it('[POL-REF-03] leaves no event where it is hidden or nobody is known: those are counted', async () => {
    const session = await gateway.client.session();
    const other = as(OTHER_TENANT.key.actor);
    const all = async () => [...(await told(gateway.client)), ...(await told(other))].length;
    const before = await all();
    expect((await other.call('GET', `/v1/sessions/${session.id}`)).status).toBe(404);
    const headers = { authorization: 'Bearer nobody' };
    expect((await gateway.client.call('GET', '/v1/sessions', { headers })).status).toBe(401);
    await gateway.client.session();
    expect(await all()).toBe(before);
    const { text } = await gateway.client.call('GET', '/metrics');
    expect(text).toContain('harn_calls_refused_total{code="unauthenticated"} 1');
    expect(text).toMatch(/harn_calls_refused_total\{code="permission_denied"\} 7/);
  });

  it('under an Idempotency-Key gives the same refusal again, and no second event', async () => {
    const { session } = await submit('workspace_hard', { route: agent.route });
    // Every refusal before, those of the tests above too, is recorded by then.
    const before = (await recordedOf('worker')).length;
    const options = {
      body: { session_id: session.id, input: userText('hi'), metadata: { route: agent.route } },
      headers: { 'idempotency-key': 'once' },
    };
    const first = await as('worker').call('POST', '/v1/tasks', options);
    const again = await as('worker').call('POST', '/v1/tasks', options);
    expect([first.status, again.status]).toEqual([422, 422]);
    expect(await recordedOf('worker')).toHaveLength(before);
  });
});
