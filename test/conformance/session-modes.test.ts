import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Session } from '#resources/session/schema.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { stageOf } from './stage.ts';

const NEWER = 'agents-protocol-2026-10-11';
const WORKSPACE = { workspace_id: 'workspace_default' };
const POLICY = { provider: 'anthropic', model: 'claude-x', reasoning_effort: 'high' };

/** By hand: what each mode is as a tier. */
const MODES = [
  ['shadow', 'shadow'],
  ['architect', 'suggest'],
  ['ask', 'act_with_approval'],
  ['code', 'act_auto'],
] as const;

describe('the mode of a session', () => {
  const stage = stageOf();
  const create = async (more: object, client = stage.client) =>
    client.call<Session>('POST', '/v1/sessions', { body: { ...WORKSPACE, ...more } });

  it.each(MODES)('[VER-MODE-01] %s is the tier %s, in both versions', async (mode, tier) => {
    const newer = await stage.speaking(NEWER);
    for (const client of [stage.client, newer]) {
      const made = await create({ mode_id: mode }, client);
      expect([made.status, made.body.mode_id, made.body.metadata]).toEqual([
        201,
        mode,
        { autonomy_tier: tier },
      ]);
      const same = await create({ metadata: { autonomy_tier: tier } }, client);
      expect(same.body.mode_id).toBe(mode);
      const both = await create({ mode_id: mode, metadata: { autonomy_tier: tier, own: 1 } }, client);
      expect(both.body.metadata).toEqual({ autonomy_tier: tier, own: 1 });
    }
  });

  it('[VER-MODE-01] null and nothing ask for none, and what holds then is shown', async () => {
    for (const body of [{ mode_id: null }, {}]) {
      const made = await create(body);
      expect([made.body.mode_id, made.body.metadata]).toEqual(['code', {}]);
    }
  });

  it.each([
    [{ mode_id: 'plan' }, 'mode_id'],
    [{ mode_id: '' }, 'mode_id'],
    [{ mode_id: 1 }, 'mode_id'],
    [{ mode_id: 'ask', metadata: { autonomy_tier: 'shadow' } }, 'mode_id'],
    [{ model_policy: 'gpt' }, 'model_policy'],
    [{ model_policy: { provider: 'p' } }, 'model_policy.model'],
    [{ model_policy: { provider: ' ', model: 'm' } }, 'model_policy.provider'],
    [{ model_policy: { provider: 'p', model: 'm', temperature: 1 } }, 'model_policy.temperature'],
    [
      { model_policy: { provider: 'p', model: 'm', reasoning_effort: 'most' } },
      'model_policy.reasoning_effort',
    ],
  ])('[VER-MODE-02] %j is 400 at %s, and makes nothing', async (body, param) => {
    const count = async () => (await stage.client.get<{ data: [] }>('/v1/sessions?limit=200')).data.length;
    const before = await count();
    const refused = await create(body);
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { error: { code: 'invalid_request', param } },
    ]);
    expect(await count()).toBe(before);
  });

  it('[VER-MODE-01] is changed by an update in either spelling, and taken away by null', async () => {
    const { id } = (await create({ mode_id: 'shadow', metadata: { own: 1 } })).body;
    const update = (body: object) => stage.client.call<Session>('PATCH', `/v1/sessions/${id}`, { body });
    for (const [mode, tier] of MODES) {
      const { body } = await update({ mode_id: mode });
      expect([body.mode_id, body.metadata]).toEqual([mode, { autonomy_tier: tier, own: 1 }]);
    }
    const taken = await update({ mode_id: null, metadata: { own: 2 } });
    expect([taken.body.mode_id, taken.body.metadata]).toEqual(['code', { autonomy_tier: null, own: 2 }]);
    const refused = { status: 400, body: { error: { code: 'invalid_request', param: 'mode_id' } } };
    for (const body of [{ mode_id: 'plan' }, { mode_id: 'ask', metadata: { autonomy_tier: 'shadow' } }])
      expect(await update(body)).toMatchObject(refused);
  });

  it('[VER-MODE-01] it follows the tier, wherever the session is shown; the event says what held then', async () => {
    const { id } = (await create({ mode_id: 'code' })).body;
    const patched = await stage.client.call<Session>('PATCH', `/v1/sessions/${id}`, {
      body: { metadata: { autonomy_tier: 'suggest' } },
    });
    const listed = await stage.client.get<{ data: Session[] }>('/v1/sessions?limit=200');
    const fork = await stage.client.post<Session>(`/v1/sessions/${id}/fork`);
    const truncated = await stage.client.post<{ session: Session }>(`/v1/sessions/${id}/truncate`, {
      keep_first: 0,
    });
    const closed = await stage.client.post<Session>(`/v1/sessions/${id}/close`);
    const shown = [
      patched.body,
      await stage.client.get<Session>(`/v1/sessions/${id}`),
      listed.data.find((session) => session.id === id),
      fork,
      truncated.session,
      closed,
    ];
    expect(shown.map((session) => session?.mode_id)).toEqual(Array(6).fill('architect'));
    const [created] = await stage.client.events(`/v1/sessions/${id}/events`);
    expect(created?.payload['session']).toMatchObject({ mode_id: 'code' });
  });

  it('[VER-MODE-01] a persona that allows less is shown, and what the operator allows by default', async () => {
    const persona = await stage.client.post<{ id: string }>('/v1/personas', {
      name: 'Careful',
      version: '1',
      entry_workflow: 'a2a:sample',
      description: 'Asks first.',
      autonomy_tier: 'act_with_approval',
      receipt_policy: 'optional',
    });
    const { body } = await create({ persona_id: persona.id, mode_id: 'code' });
    expect(body.mode_id).toBe('ask');
    const gateway = await startTestGateway({ config: { policy: { default_tier: 'suggest' } } });
    try {
      expect((await gateway.client.session()).mode_id).toBe('architect');
    } finally {
      await gateway.close();
    }
  });

  it('[VER-MODEL-01] a model policy is kept, replaced as a whole, taken away by null, and inherited by forks', async () => {
    const newer = await stage.speaking(NEWER);
    const made = await create(
      { model_policy: { ...POLICY, provider: ' Anthropic ', model: ' claude-x ' } },
      newer,
    );
    expect(made.body.model_policy).toEqual(POLICY);
    const path = `/v1/sessions/${made.body.id}`;
    // A client of the other version sees what this one set.
    expect((await stage.client.get<Session>(path)).model_policy).toEqual(POLICY);
    expect((await newer.post<Session>(`${path}/fork`)).model_policy).toEqual(POLICY);
    const patch = async (body: object) => (await newer.call<Session>('PATCH', path, { body })).body;
    expect((await patch({ summary: 's' })).model_policy).toEqual(POLICY);
    const other = { provider: 'openai', model: 'gpt-x' };
    expect((await patch({ model_policy: other })).model_policy).toEqual(other);
    const cleared = await patch({ model_policy: null });
    expect('model_policy' in cleared).toBe(false);
    expect('model_policy' in (await stage.client.get<Session>(path))).toBe(false);
    const changes = (await newer.events(`${path}/events`))
      .filter(({ event }) => event === 'vendor.harn_gateway.session_updated')
      .map(({ payload }) => payload['changes']);
    expect(changes).toEqual([{ summary: 's' }, { model_policy: other }, { model_policy: null }]);
    const [created] = await newer.events(`${path}/events`);
    expect(created?.payload['session']).toMatchObject({ model_policy: POLICY });
    expect((await create({ model_policy: null }, newer)).body).not.toHaveProperty('model_policy');
  });

  it('[VER-MODEL-02] an agent that cannot be told runs as it does, and a note says so', async () => {
    const { id } = (await create({ model_policy: POLICY })).body;
    const notes = async (sessionId: string) => {
      const task = await stage.client.submit('hello', sessionId);
      await stage.client.until(task.id, 'COMPLETED');
      return (await stage.client.events(`/v1/tasks/${task.id}/events`))
        .filter(({ payload }) => payload['note'] === 'model_policy_unused')
        .map(({ payload }) => payload['details']);
    };
    expect(await notes(id)).toEqual([{ provider: 'anthropic', model: 'claude-x' }]);
    expect(await notes((await create({})).body.id)).toEqual([]);
  });

  it('[VER-MODEL-01] both hold after a restart', async () => {
    const data = mkdtempSync(join(tmpdir(), 'harn-modes-'));
    try {
      const first = await startTestGateway({ data });
      const made = await first.client.post<Session>('/v1/sessions', {
        ...WORKSPACE,
        mode_id: 'ask',
        model_policy: POLICY,
      });
      await first.close();
      const second = await startTestGateway({ data });
      const read = await second.client.get<Session>(`/v1/sessions/${made.id}`);
      expect([read.mode_id, read.model_policy]).toEqual(['ask', POLICY]);
      await second.close();
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });
});
