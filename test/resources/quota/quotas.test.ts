import { describe, expect, it } from 'vitest';
import type { Quota } from '#resources/quota/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { userText } from '../../harness/client.ts';
import { OTHER_TENANT } from '../../harness/tenants.ts';

describe('quotas', () => {
  const workspaces = ['tight', 'soft', 'hourly', 'queue'].map((name) => `workspace_${name}`);
  const of = (name: string, limits: object, hard_limit = true) => ({
    id: `q-${name}`,
    scope: 'workspace',
    owner: `workspace_${name}`,
    limits,
    hard_limit,
  });
  const stage = stageOf({
    config: {
      tenants: OTHER_TENANT.config.tenants,
      workspaces: [...OTHER_TENANT.config.workspaces, ...workspaces.map((id) => ({ id }))],
      quotas: [
        of('tight', { concurrent_tasks: 3 }),
        of('soft', { concurrent_tasks: 1 }, false),
        of('hourly', { tasks_per_hour: 2 }),
        of('queue', { queued_tasks: 1 }),
        { id: 'q-all', scope: 'organization', limits: { concurrent_tasks: 500 } },
        { id: 'q-team', scope: 'tenant', owner: 'tenant_default', limits: { concurrent_tasks: 400 } },
        { id: 'q-clerk', scope: 'persona', owner: 'clerk', limits: { concurrent_tasks: 1 } },
        { id: 'q-named', scope: 'tenant', owner: 'tenant_other', limits: { concurrent_tasks: 1 } },
      ],
    },
    keys: [
      OTHER_TENANT.key,
      { actor: 'worker', workspaces },
      { actor: 'member', scopes: ['quotas:read'], workspaces: ['workspace_default'] },
    ],
  });

  async function sessionIn(workspace: string): Promise<string> {
    const body = { workspace_id: `workspace_${workspace}` };
    return (await stage.as('worker').post<{ id: string }>('/v1/sessions', body)).id;
  }

  async function submitIn(workspace: string, text: string) {
    const session_id = await sessionIn(workspace);
    return stage.as('worker').call('POST', '/v1/tasks', { body: { session_id, input: userText(text) } });
  }

  const usage = async (id: string) => (await stage.as('worker').get<Quota>(`/v1/quotas/${id}`)).usage;

  it('a hard limit takes exactly as many as it says of many at once, and gives places back', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => submitIn('tight', 'slow 30')));
    const taken = answers.filter(({ status }) => status === 202).map(({ body }) => String(body['id']));
    expect(taken).toHaveLength(3);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([422]));
    expect(refused[0]?.body).toMatchObject({
      error: {
        code: 'policy_violation',
        details: { quota_id: 'q-tight', limit: 'concurrent_tasks', hard_limit: true },
      },
    });
    expect(await stage.as('worker').get('/v1/quotas/q-tight')).toMatchObject({
      usage: { concurrent_tasks: 3 },
      exhaustion_reason: 'concurrent_tasks',
    });
    for (const id of taken) await stage.as('worker').post(`/v1/tasks/${id}/cancel`);
    for (const id of taken) await stage.as('worker').until(id, 'CANCELED');
    expect(await usage('q-tight')).toMatchObject({ concurrent_tasks: 0 });
    expect((await submitIn('tight', 'hi')).status).toBe(202);
  });

  it('a soft limit asks to retry', async () => {
    const first = await submitIn('soft', 'slow 30');
    const second = await submitIn('soft', 'hi');
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toBe('2');
    expect(second.body).toMatchObject({ error: { code: 'rate_limited' } });
    await stage.as('worker').post(`/v1/tasks/${first.body['id']}/cancel`);
  });

  it('counts what was accepted in this hour, ended or not', async () => {
    for (const status of [202, 202, 422]) expect((await submitIn('hourly', 'hi')).status).toBe(status);
    const quota = await stage.as('worker').get<Quota>('/v1/quotas/q-hourly');
    expect(quota.usage['tasks_per_hour']).toBe(2);
    expect(quota.reset_at).toMatch(/:00:00\.000Z$/);
  });

  it('bounds what waits, not what runs', async () => {
    const session = await sessionIn('queue');
    const submit = () =>
      stage
        .as('worker')
        .call('POST', '/v1/tasks', { body: { session_id: session, input: userText('slow 30') } });
    const answers = [await submit(), await submit(), await submit()];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 422]);
    expect(await usage('q-queue')).toMatchObject({ queued_tasks: 1, concurrent_tasks: 2 });
    await stage.as('worker').post(`/v1/sessions/${session}/close`);
    expect(await usage('q-queue')).toMatchObject({ queued_tasks: 0, concurrent_tasks: 0 });
  });

  it('applies to the tasks of a persona that names it', async () => {
    const definition = {
      name: 'Clerk',
      version: '1',
      entry_workflow: 'intake',
      description: '',
      autonomy_tier: 'act_auto',
      receipt_policy: 'optional',
    };
    const foreign = await stage.client.call('POST', '/v1/personas', {
      body: { ...definition, quota_id: 'q-named' },
    });
    expect(foreign.body).toMatchObject({ error: { code: 'resource_not_found', param: 'quota_id' } });
    const body = { ...definition, quota_id: 'q-soft' };
    const { id: persona_id } = await stage.as('worker').post<{ id: string }>('/v1/personas', body);
    const before = await usage('q-soft');
    const session_id = await sessionIn('tight');
    const input = userText('slow 30');
    const task = await stage
      .as('worker')
      .post<{ id: string }>('/v1/tasks', { session_id, persona_id, input });
    expect(await usage('q-soft')).toMatchObject({ concurrent_tasks: Number(before['concurrent_tasks']) + 1 });
    await stage.as('worker').post(`/v1/tasks/${task.id}/cancel`);
  });

  it('is shown to those it concerns; that of the organization to administrators', async () => {
    const ids = async (actor: string) => {
      const { data } = await stage.as(actor).get<{ data: Quota[] }>('/v1/quotas');
      return data.map(({ id }) => id);
    };
    expect(await ids('stranger')).toEqual(['q-all', 'q-named']);
    expect(await ids('member')).toEqual(['q-team']);
    expect((await stage.as('member').call('GET', '/v1/quotas/q-all')).status).toBe(404);
  });
});
