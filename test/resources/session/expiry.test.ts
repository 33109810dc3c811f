import { describe, expect, it } from 'vitest';
import type { Session } from '#resources/session/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { userText } from '../../harness/client.ts';

const HOUR_MS = 3_600_000;

describe('sessions that expire', () => {
  let now = Date.UTC(2026, 0, 1);
  const stage = stageOf({ clock: { now: () => now, monotonic: () => performance.now() } });

  it('[S9-03] a session closes at its expires_at, with its open tasks', { timeout: 20_000 }, async () => {
    const expires_at = new Date(now + HOUR_MS).toISOString();
    const session = await stage.client.session({ expires_at });
    expect(session.expires_at).toBe(expires_at);
    const lasting = await stage.client.session();
    const prolonged = await stage.client.session({ expires_at });
    const later = new Date(now + 3 * HOUR_MS).toISOString();
    const update = { body: { metadata: { expires_at: later } } };
    expect((await stage.client.call('PATCH', `/v1/sessions/${prolonged.id}`, update)).body).toMatchObject({
      expires_at: later,
    });
    const task = await stage.client.submit('ask', session.id);
    await stage.client.until(task.id, 'INPUT_REQUIRED');
    now += HOUR_MS + 1;
    const late = await stage.client.call('POST', `/v1/sessions/${session.id}/tasks`, {
      body: { input: userText('x') },
    });
    expect(late.status).toBe(409);
    const state = async () => (await stage.client.get<Session>(`/v1/sessions/${session.id}`)).state;
    await expect.poll(state, { timeout: 12_000, interval: 100 }).toBe('CLOSED');
    expect(await stage.client.get(`/v1/tasks/${task.id}`)).toMatchObject({ status: 'CANCELED' });
    const closed = (await stage.client.events(`/v1/sessions/${session.id}/events`)).find(
      ({ event }) => event === 'session.closed',
    );
    expect(closed).toMatchObject({ actor: null, payload: { reason: 'expired' } });
    for (const { id } of [lasting, prolonged]) {
      expect(await stage.client.get(`/v1/sessions/${id}`)).toMatchObject({ state: 'IDLE' });
    }
    const fork = await stage.client.post<Session>(`/v1/sessions/${session.id}/fork`);
    expect(fork).toMatchObject({ state: 'IDLE', expires_at: null });
    expect(await stage.client.post(`/v1/sessions/${prolonged.id}/fork`)).toMatchObject({ expires_at: later });
  });

  it.each(['tomorrow', '2026', '2026-01-01', 'Jan 1 2027', '2026-13-01T00:00:00Z', 1_767_225_600, null])(
    '[S9-03] %j is no time to expire at',
    async (expires_at) => {
      const answer = await stage.client.call('POST', '/v1/sessions', {
        body: { workspace_id: 'workspace_default', metadata: { expires_at } },
      });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: { param: 'metadata.expires_at' } });
    },
  );

  it('[S9-03] [CORE-ID-02] another offset than UTC is the same instant', async () => {
    const session = await stage.client.session({ expires_at: '2027-01-01T02:00:00+02:00' });
    expect(session.expires_at).toBe('2027-01-01T00:00:00.000Z');
  });
});
