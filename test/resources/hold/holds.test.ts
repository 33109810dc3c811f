import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Hold } from '#resources/hold/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import { RetentionStage } from '../event/retention-stage.ts';

const WINDOWS = { events_days: 30, interesting_days: 180, sessions_days: 90 };
const DAY_MS = 86_400_000;

describe('a hold', () => {
  let stage: RetentionStage;
  beforeEach(async () => {
    stage = await new RetentionStage(0, WINDOWS).open();
  });
  afterEach(() => stage.end());

  const holding = (session_ids: string[], more: object = {}): Promise<Hold> =>
    stage.client.post('/v1/holds', { name: 'case 17', session_ids, reason: 'auditors', ...more });
  const statusOf = async (path: string) => (await stage.client.call('GET', path)).status;
  const refusal = (hold: Hold, session_id: string) => ({
    status: 409,
    body: {
      error: {
        code: 'conflict',
        message: expect.stringContaining('"case 17"'),
        details: { hold_id: hold.id, hold: 'case 17', session_id },
      },
    },
  });

  it('keeps a session and its events from retention until it is released, with the reason on record', async () => {
    const kept = await stage.run('kept');
    const gone = await stage.run('gone');
    for (const { session_id: id } of [kept, gone]) await stage.close({ id });
    const hold = await holding([kept.session_id]);
    expect(hold).toMatchObject({ created_by: 'actor_test', released_at: null, expires_at: null });
    await stage.sweepAfter(31);
    expect(await stage.kinds(`/v1/tasks/${kept.id}/events`)).toContain('task.submitted');
    await stage.sweepAfter(60);
    expect(await statusOf(`/v1/sessions/${gone.session_id}`)).toBe(404);
    expect(await stage.kinds(`/v1/tasks/${kept.id}/events`)).toContain('task.submitted');
    await stage.restart();
    const released = await stage.client.post<Hold>(`/v1/holds/${hold.id}/release`, { reason: 'closed' });
    expect(released).toMatchObject({ released_by: 'actor_test', release_reason: 'closed' });
    expect(released.released_at).not.toBeNull();
    await stage.sweepAfter(1);
    expect(await statusOf(`/v1/sessions/${kept.session_id}`)).toBe(404);
    expect(await stage.client.get<Hold>(`/v1/holds/${hold.id}`)).toEqual(released);
    const kinds = await stage.kinds('/v1/events');
    expect(kinds.filter((kind) => kind.includes('hold_'))).toEqual([
      'vendor.harn_gateway.hold_created',
      'vendor.harn_gateway.hold_released',
    ]);
    expect(await stage.checked()).toEqual([]);
  });

  it('refuses a truncation and the deletion of a memory with its name, and changes nothing', async () => {
    const { session_id } = await stage.run('hello');
    const memory = await stage.client.post<{ id: string }>('/v1/memories', {
      scope: 'session',
      owner_id: session_id,
      content: 'remembered',
      provenance: {},
      metadata: { expires_at: new Date(Date.now() + DAY_MS).toISOString() },
    });
    const hold = await holding([session_id]);
    const other = await holding([session_id]);
    const path = `/v1/sessions/${session_id}`;
    const truncated = () => stage.client.call('POST', `${path}/truncate`, { body: { keep_first: 0 } });
    expect(await truncated()).toMatchObject(refusal(hold, session_id));
    const deleted = () => stage.client.call('DELETE', `/v1/memories/${memory.id}`);
    expect(await deleted()).toMatchObject(refusal(hold, session_id));
    expect((await stage.client.get<{ data: unknown[] }>(`${path}/messages`)).data).toHaveLength(2);
    await stage.client.post(`/v1/holds/${hold.id}/release`, { reason: 'one of two' });
    expect(await truncated()).toMatchObject(refusal(other, session_id));
    // What expires by itself waits too.
    const kinds = async () => stage.kinds(`${path}/events`);
    await stage.sweepAfter(2);
    expect(await kinds()).not.toContain('vendor.harn_gateway.memory_deleted');
    await stage.client.post(`/v1/holds/${other.id}/release`, { reason: 'the other' });
    expect((await truncated()).status).toBe(200);
    await stage.gateway.tidy();
    expect(await kinds()).toContain('vendor.harn_gateway.memory_deleted');
  });

  it('ends at its time, on record', async () => {
    const { session_id } = await stage.run('hello');
    const expires_at = new Date(Date.now() + DAY_MS).toISOString();
    const { id } = await holding([session_id], { expires_at });
    const truncated = async () =>
      (await stage.client.call('POST', `/v1/sessions/${session_id}/truncate`, { body: { keep_first: 1 } }))
        .status;
    expect(await truncated()).toBe(409);
    stage.pass(2);
    expect(await truncated()).toBe(200);
    await stage.gateway.tidy();
    expect(await stage.client.get(`/v1/holds/${id}`)).toMatchObject({
      released_by: null,
      release_reason: 'expired',
    });
  });

  it('is listed by workspace and by session, and released once', async () => {
    const [one, other] = [await stage.client.session(), await stage.client.session()];
    const first = await holding([one.id, other.id, one.id]);
    const second = await holding([other.id]);
    expect(first.session_ids).toEqual([one.id, other.id]);
    const listed = async (query: string) =>
      (await stage.client.get<{ data: Hold[] }>(`/v1/holds${query}`)).data.map(({ id }) => id);
    expect(await listed('?workspace_id=workspace_default')).toEqual([second.id, first.id]);
    expect(await listed(`?session_id=${one.id}`)).toEqual([first.id]);
    const release = () =>
      stage.client.call('POST', `/v1/holds/${first.id}/release`, { body: { reason: 'over' } });
    expect((await release()).status).toBe(200);
    expect(await release()).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  });

  it('names what is wrong with it, and is of one workspace', async () => {
    const { id } = await stage.client.session();
    const refused = async (body: object) => {
      const answer = await stage.client.call('POST', '/v1/holds', { body });
      return [answer.status, (answer.body['error'] as { param: string }).param];
    };
    const right = { name: 'n', session_ids: [id], reason: 'r' };
    expect(await refused({ ...right, name: '' })).toEqual([400, 'name']);
    expect(await refused({ ...right, session_ids: [] })).toEqual([400, 'session_ids']);
    expect(await refused({ ...right, session_ids: [id, 'absent'] })).toEqual([404, 'session_ids[1]']);
    expect(await refused({ ...right, reason: '' })).toEqual([400, 'reason']);
    expect(await refused({ ...right, expires_at: 'soon' })).toEqual([400, 'expires_at']);
    expect(await refused({ ...right, expires_at: '2020-01-01T00:00:00Z' })).toEqual([400, 'expires_at']);
    const keeper = stage.gateway.clients['keeper'];
    const elsewhere = await keeper?.post<Session>('/v1/sessions', { workspace_id: 'workspace_kept' });
    // The other key does not see that workspace at all.
    expect(await refused({ ...right, session_ids: [id, elsewhere?.id] })).toEqual([404, 'session_ids[1]']);
    const answer = await keeper?.call('POST', '/v1/holds', {
      body: { ...right, session_ids: [id, elsewhere?.id] },
    });
    expect(answer).toMatchObject({ status: 400, body: { error: { param: 'session_ids[1]' } } });
  });
});
