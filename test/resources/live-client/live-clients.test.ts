import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveSessionClient, LiveSessionClientChange } from '#resources/live-client/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';

/** What a client is in a Session; `absent` is none. */
type Mode = 'absent' | 'observer' | 'controller';

/** The client `x` is `from`, with another controller or without, and does this. */
interface Transition {
  from: Mode;
  other?: 'controls';
  call: 'attach' | 'takeover' | 'detach' | 'heartbeat';
  body?: object;
  to?: Mode;
  /** The action of the event; none where nothing is recorded. */
  action?: 'attached' | 'takeover' | 'detached';
  refused?: { status: number; details: object };
}

const asController = { mode: 'controller' };
const taking = { mode: 'controller', takeover: true };
const notThere = { status: 404, details: { reason: 'live_client_error' } };
const taken = { status: 409, details: { reason: 'live_client_error', active_controller_id: 'y' } };

const TABLE: readonly Transition[] = [
  { from: 'absent', call: 'attach', to: 'observer', action: 'attached' },
  { from: 'absent', call: 'attach', body: asController, to: 'controller', action: 'attached' },
  { from: 'observer', call: 'attach', body: asController, to: 'controller', action: 'attached' },
  { from: 'observer', call: 'attach', to: 'observer' },
  { from: 'absent', other: 'controls', call: 'attach', to: 'observer', action: 'attached' },
  { from: 'absent', other: 'controls', call: 'attach', body: asController, refused: taken },
  { from: 'observer', other: 'controls', call: 'attach', body: asController, refused: taken },
  { from: 'absent', other: 'controls', call: 'attach', body: taking, to: 'controller', action: 'takeover' },
  { from: 'observer', other: 'controls', call: 'attach', body: taking, to: 'controller', action: 'takeover' },
  { from: 'absent', other: 'controls', call: 'takeover', to: 'controller', action: 'takeover' },
  { from: 'observer', other: 'controls', call: 'takeover', to: 'controller', action: 'takeover' },
  { from: 'absent', call: 'takeover', to: 'controller', action: 'takeover' },
  { from: 'controller', call: 'attach', body: asController, to: 'controller' },
  { from: 'controller', call: 'takeover', to: 'controller' },
  { from: 'controller', call: 'attach', to: 'observer', action: 'attached' },
  { from: 'observer', call: 'heartbeat', to: 'observer' },
  { from: 'controller', call: 'heartbeat', to: 'controller' },
  { from: 'observer', call: 'detach', to: 'absent', action: 'detached' },
  { from: 'controller', call: 'detach', to: 'absent', action: 'detached' },
  { from: 'absent', call: 'heartbeat', refused: notThere },
  { from: 'absent', call: 'detach', refused: notThere },
];

describe('live clients of a session', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      config: { workspaces: [{ id: 'workspace_other' }] },
      keys: [
        { actor: 'friend' },
        { actor: 'reader', scopes: ['sessions:read'] },
        { actor: 'stranger', workspaces: ['workspace_other'] },
      ],
    });
  });
  afterAll(() => gateway.close());

  const changed = async (sessionId: string) =>
    (await gateway.client.events(`/v1/sessions/${sessionId}/events`)).filter(
      ({ event }) => event === 'vendor.harn_gateway.live_client_changed',
    );

  it.each(TABLE)(
    '$from, other $other: $call $body is $to, event $action, refused $refused.status',
    async (row) => {
      const { client } = gateway;
      const { id } = await client.session();
      const at = `/v1/sessions/${id}`;
      if (row.from !== 'absent') await client.post(`${at}/attach`, { client_id: 'x', mode: row.from });
      if (row.other) await client.post(`${at}/attach`, { client_id: 'y', mode: 'controller' });
      const before = await client.get<{ data: LiveSessionClient[] }>(`${at}/live-clients`);
      const count = (await changed(id)).length;
      const answer = await client.call<LiveSessionClientChange & { error?: object }>(
        'POST',
        `${at}/${row.call}`,
        {
          body: { client_id: 'x', ...row.body },
        },
      );
      const after = await client.get<{ object: string; data: LiveSessionClient[] }>(`${at}/live-clients`);
      const events = (await changed(id)).slice(count);
      if (row.refused) {
        expect(answer).toMatchObject({
          status: row.refused.status,
          body: { error: { details: row.refused.details } },
        });
        expect(after).toEqual(before);
        expect(events).toEqual([]);
        return;
      }
      expect(answer.status).toBe(200);
      const controls = row.to === 'controller';
      expect(answer.body.client).toEqual(
        row.to === 'absent'
          ? null
          : expect.objectContaining({
              client_id: 'x',
              mode: row.to,
              prompt_injection: controls,
              permission_routing: controls,
            }),
      );
      const previous = row.other ? 'y' : row.from === 'controller' ? 'x' : null;
      expect(answer.body.previous_controller_id).toBe(previous);
      expect(answer.body.active_controller_id).toBe(controls ? 'x' : row.other ? 'y' : null);
      expect(answer.body.clients).toEqual(after.data);
      if (row.other && controls)
        expect(after.data[1]).toMatchObject({
          client_id: 'y',
          mode: 'observer',
          prompt_injection: false,
          permission_routing: false,
        });
      const known = before.data.find(({ client_id }) => client_id === 'x');
      if (known && answer.body.client) expect(answer.body.client.attached_at).toBe(known.attached_at);
      expect(events.map(({ payload }) => payload['action'])).toEqual(row.action ? [row.action] : []);
      const session = await client.get<Session>(at);
      expect(session.live_clients).toEqual(after.data);
      expect(session.live_controller_id).toBe(answer.body.active_controller_id);
      const { data } = await client.get<{ data: Session[] }>('/v1/sessions?limit=1');
      expect(data[0]).toEqual(session);
    },
  );

  it('says a change as Harn does, too, and what was heard last stays known', async () => {
    const { client } = gateway;
    const { id } = await client.session();
    expect(Object.keys(await client.get(`/v1/sessions/${id}`))).not.toContain('live_clients');
    await client.post(`/v1/sessions/${id}/attach`, { client_id: ' a ', metadata: { name: 'A' } });
    await client.post(`/v1/sessions/${id}/attach`, { client_id: 'b', mode: 'controller' });
    const state = await client.post(`/v1/sessions/${id}/takeover`, {
      client_id: 'a',
      reason: 'mine',
      metadata: { n: 1 },
    });
    const events = await changed(id);
    const said = events.map(({ payload }) => payload['update'] as { sessionUpdate: string; _meta: object });
    expect(said.map(({ sessionUpdate }) => sessionUpdate)).toEqual(Array(3).fill('live_session_client'));
    expect(said[2]?._meta).toEqual({ harn: { action: 'takeover', state } });
    expect(events[2]?.payload).toMatchObject({
      reason: 'mine',
      previous_controller_id: 'b',
      active_controller_id: 'a',
    });
    await client.post(`/v1/sessions/${id}/heartbeat`, { client_id: 'a' });
    const beat = await client.post<LiveSessionClientChange>(`/v1/sessions/${id}/heartbeat`, {
      client_id: 'a',
      metadata: { n: 2 },
    });
    expect(beat.client?.metadata).toEqual({ n: 2 });
    expect(await changed(id)).toHaveLength(3);
    const { data } = await client.get<{ data: LiveSessionClient[] }>(`/v1/sessions/${id}/live-clients`);
    expect(data[0]).toEqual(beat.client);
    const { data: trust } = await client.get<{ data: { action: string; metadata: object }[] }>(
      '/v1/trust-records?limit=200',
    );
    expect(trust.filter(({ action }) => action === 'session.control_taken')).toContainEqual(
      expect.objectContaining({
        metadata: expect.objectContaining({
          session_id: id,
          previous_controller_id: 'b',
          active_controller_id: 'a',
        }),
      }),
    );
  });

  it('a client id belongs to its actor; anybody who may write may take over', async () => {
    const { client, clients } = gateway;
    const friend = clients['friend'];
    const { id } = await client.session();
    await client.post(`/v1/sessions/${id}/attach`, { client_id: 'mine', mode: 'controller' });
    for (const verb of ['attach', 'takeover', 'heartbeat', 'detach'])
      expect(
        await friend?.call('POST', `/v1/sessions/${id}/${verb}`, { body: { client_id: 'mine' } }),
      ).toMatchObject({
        status: 409,
        body: {
          error: { code: 'conflict', param: 'client_id', details: { reason: 'client_of_another_actor' } },
        },
      });
    const taken = await friend?.post<LiveSessionClientChange>(`/v1/sessions/${id}/takeover`, {
      client_id: 'theirs',
    });
    expect(taken).toMatchObject({ previous_controller_id: 'mine', active_controller_id: 'theirs' });
  });

  it.each<[string, object, number, string]>([
    ['attach', {}, 400, 'client_id'],
    ['attach', { client_id: ' ' }, 400, 'client_id'],
    ['attach', { client_id: 'x'.repeat(201) }, 400, 'client_id'],
    ['attach', { client_id: 'x', mode: 'king' }, 400, 'mode'],
    ['attach', { client_id: 'x', takeover: 'yes' }, 400, 'takeover'],
    ['attach', { client_id: 'x', metadata: [] }, 400, 'metadata'],
    ['attach', { client_id: 'x', metadata: { a: 'word '.repeat(600) } }, 413, 'metadata'],
    ['attach', { client_id: 'x', take_over: true }, 400, 'take_over'],
    ['takeover', { client_id: 'x', mode: 'observer' }, 400, 'mode'],
    ['heartbeat', { client_id: 'x', reason: 7 }, 400, 'reason'],
    ['detach', [], 400, 'body'],
  ])('%s %j is refused with %i for %s', async (verb, body, status, param) => {
    const { id } = await gateway.client.session();
    const answer = await gateway.client.call('POST', `/v1/sessions/${id}/${verb}`, { body });
    expect(answer).toMatchObject({ status, body: { error: { param } } });
  });

  it('a session has at most 64 of them, and a closed one has none and takes none', async () => {
    const { client, clients } = gateway;
    const { id } = await client.session();
    for (let n = 0; n < 64; n += 1) await client.post(`/v1/sessions/${id}/attach`, { client_id: `c${n}` });
    const more = await client.call('POST', `/v1/sessions/${id}/attach`, { body: { client_id: 'one more' } });
    expect(more).toMatchObject({ status: 409, body: { error: { details: { limit: 64 } } } });
    expect((await client.call('POST', `/v1/sessions/${id}/fork`, { body: {} })).body).not.toHaveProperty(
      'live_clients',
    );
    await client.post(`/v1/sessions/${id}/close`);
    expect(await client.get(`/v1/sessions/${id}/live-clients`)).toEqual({ object: 'list', data: [] });
    const late = await client.call('POST', `/v1/sessions/${id}/attach`, { body: { client_id: 'late' } });
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    const reader = clients['reader'];
    expect((await reader?.call('GET', `/v1/sessions/${id}/live-clients`))?.status).toBe(200);
    expect(
      (await reader?.call('POST', `/v1/sessions/${id}/attach`, { body: { client_id: 'r' } }))?.status,
    ).toBe(403);
    const stranger = clients['stranger'];
    expect((await stranger?.call('GET', `/v1/sessions/${id}/live-clients`))?.status).toBe(404);
  });

  it('with live_client_ttl_ms one that is silent is detached, and one that is heard stays', async () => {
    const start = Date.parse('2026-11-23T10:00:00Z');
    let ms = 0;
    const clock = { now: () => start + ms, monotonic: () => ms };
    const timed = await startTestGateway({ clock, config: { sessions: { live_client_ttl_ms: 60_000 } } });
    const { id } = await timed.client.session();
    await timed.client.post(`/v1/sessions/${id}/attach`, { client_id: 'silent' });
    await timed.client.post(`/v1/sessions/${id}/attach`, { client_id: 'heard' });
    ms = 40_000;
    await timed.client.post(`/v1/sessions/${id}/heartbeat`, { client_id: 'heard' });
    ms = 70_000;
    await timed.tidy();
    const { live_clients } = await timed.client.get<Session>(`/v1/sessions/${id}`);
    expect(live_clients?.map(({ client_id }) => client_id)).toEqual(['heard']);
    await timed.close();
  });
});
