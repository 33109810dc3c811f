import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stageOf } from '../../conformance/stage.ts';
import { TestClient } from '../../harness/client.ts';
import { startTestGateway } from '../../harness/gateway.ts';

const GRANT = {
  name: 'ci',
  scopes: ['sessions:read', 'events:read'],
  workspaces: ['workspace_default'],
};

interface Made {
  id: string;
  key: string;
  expires_at: string | null;
}

describe('API keys made at run time', () => {
  const stage = stageOf({
    config: {
      tenants: [{ id: 'tenant_other' }],
      workspaces: [{ id: 'workspace_b' }, { id: 'workspace_other', tenant: 'tenant_other' }],
    },
    keys: [
      { actor: 'warden', scopes: ['admin', 'sessions:read'], workspaces: ['workspace_default'] },
      { actor: 'outsider', scopes: ['*'], workspaces: ['workspace_b'] },
      { actor: 'auditor', scopes: ['admin', 'events:read'], workspaces: ['workspace_default'] },
      { actor: 'reader', scopes: ['events:read'], workspaces: ['workspace_default'] },
      { actor: 'foreigner', scopes: ['*'], tenant: 'tenant_other', workspaces: ['workspace_other'] },
    ],
  });
  let actors = 0;
  /** For an actor of its own, unless one is named. */
  const make = async (grant: object = GRANT, client = stage.client) => {
    actors += 1;
    const body = { actor: `ci-bot-${actors}`, ...grant };
    return client.call<Made & { error: { code: string; param: string } }>('POST', '/v1/admin/api-keys', {
      body,
    });
  };
  const act = (id: string, action: string, body?: object) =>
    stage.client.call<Made>('POST', `/v1/admin/api-keys/${id}/${action}`, body ? { body } : {});
  const statusWith = async (key: string) =>
    (await new TestClient(stage.gateway.url, key).call('GET', '/v1/sessions')).status;

  it('are listed apart from configured ones, of which each caller sees those that may no more', async () => {
    const actors = async (client: TestClient) => {
      const path = '/v1/admin/api-keys?source=configured&limit=200';
      const { data } = await client.get<{ data: { actor: string; metadata: object; id: string }[] }>(path);
      for (const key of data)
        expect(key).toMatchObject({ metadata: { source: 'configured' }, revoked_at: null });
      expect(JSON.stringify(data)).not.toContain('sha256');
      return data.map(({ actor }) => actor).sort();
    };
    expect(await actors(stage.client)).toEqual(['actor_test', 'auditor', 'reader', 'warden']);
    expect(await actors(stage.as('outsider'))).toEqual(['outsider']);
    expect(await actors(stage.as('foreigner'))).toEqual(['foreigner']);
    expect((await stage.as('reader').call('GET', '/v1/admin/api-keys?source=configured')).status).toBe(403);
    const wrong = await stage.client.call('GET', '/v1/admin/api-keys?source=all');
    expect([wrong.status, wrong.body]).toMatchObject([400, { error: { param: 'source' } }]);
    const paged = await stage.client.get<{ data: object[]; has_more: boolean }>(
      '/v1/admin/api-keys?source=configured&limit=1',
    );
    expect([paged.data.length, paged.has_more]).toEqual([1, true]);
  });

  it('let in with what they were granted, and with nothing else', async () => {
    const { status, body } = await make();
    expect(status).toBe(201);
    const client = new TestClient(stage.gateway.url, body.key);
    expect((await client.call('GET', '/v1/sessions')).status).toBe(200);
    expect((await client.call('POST', '/v1/sessions', { body: {} })).status).toBe(403);
    expect((await client.call('GET', '/v1/workspaces/workspace_b')).status).toBe(403);
  });

  it('are shown once: neither a list, an event, a log line nor a repeated call holds one', async () => {
    const headers = { 'idempotency-key': 'make-one' };
    const body = { ...GRANT, actor: 'ci-bot' };
    const first = await stage.client.call<Made>('POST', '/v1/admin/api-keys', { body, headers });
    const again = await stage.client.call<Made>('POST', '/v1/admin/api-keys', { body, headers });
    expect([again.status, again.body.id, again.body.key]).toEqual([201, first.body.id, undefined]);
    const list = await stage.client.call('GET', '/v1/admin/api-keys');
    expect(list.text).toContain(first.body.id);
    const events = await stage.gateway.log.range({ kind: 'all' }, '0'.repeat(20), 200);
    const recorded = Buffer.concat(events).toString();
    expect(recorded).toContain(first.body.id);
    for (const text of [list.text, recorded, stage.gateway.logText()])
      expect(text).not.toContain(first.body.key);
  });

  it('rotate: both work until the overlap ends, the old one names its successor', async () => {
    const { body: old } = await make();
    const { body: next } = await act(old.id, 'rotate', { overlap_seconds: 3600 });
    expect([await statusWith(old.key), await statusWith(next.key)]).toEqual([200, 200]);
    const { body } = await stage.client.call<{ data: Record<string, unknown>[] }>(
      'GET',
      '/v1/admin/api-keys',
    );
    expect(body.data.find(({ id }) => id === old.id)).toMatchObject({
      replaced_by: next.id,
      revoked_at: null,
    });
    const { body: third } = await act(next.id, 'rotate', { overlap_seconds: 0 });
    expect([await statusWith(next.key), await statusWith(third.key)]).toEqual([401, 200]);
    expect((await act(next.id, 'rotate')).status).toBe(409);
  });

  it('are at most two of an actor at a time, in its tenant', async () => {
    const of = { ...GRANT, actor: 'busy' };
    const first = (await make(of)).body;
    const second = (await make(of)).body;
    const third = await make(of);
    expect([third.status, third.body.error]).toMatchObject([409, { code: 'conflict', param: 'actor' }]);
    const foreign = { ...of, workspaces: ['workspace_other'] };
    expect((await make(foreign, stage.as('foreigner'))).status).toBe(201);
    expect((await act(first.id, 'rotate')).status).toBe(409);
    const next = await act(first.id, 'rotate', { overlap_seconds: 0 });
    expect(next.status).toBe(201);
    await act(second.id, 'revoke');
    expect((await make(of)).status).toBe(201);
    expect((await make(of)).status).toBe(409);
  });

  it('end at once when revoked, as often as it is said', async () => {
    const { body } = await make();
    expect((await act(body.id, 'revoke')).status).toBe(200);
    expect((await act(body.id, 'revoke')).status).toBe(200);
    expect(await statusWith(body.key)).toBe(401);
    expect((await act(body.id, 'rotate')).status).toBe(409);
  });

  it('are told as events to whoever administers them, and to nobody else', async () => {
    const { body } = await make();
    await act(body.id, 'revoke');
    const deliveredTo = async (client: TestClient) =>
      (await client.events('/v1/events')).filter(({ resource }) => resource.id === body.id);
    const told = await deliveredTo(stage.client);
    expect(told.map(({ event, actor }) => [event, actor])).toEqual([
      ['vendor.harn_gateway.api_key_created', 'actor_test'],
      ['vendor.harn_gateway.api_key_ended', 'actor_test'],
    ]);
    expect(await deliveredTo(stage.as('auditor'))).toEqual(told);
    for (const other of ['outsider', 'reader', 'foreigner']) {
      expect([other, await deliveredTo(stage.as(other))]).toEqual([other, []]);
      const answer = await stage.as(other).call('GET', `/v1/events/${told[0]?.id}`);
      expect([other, answer.status]).toEqual([other, 404]);
    }
  });

  it('that are revoked end the streams they opened', async () => {
    const { body } = await make();
    const response = await fetch(`${stage.gateway.url}/v1/events/stream`, {
      headers: {
        authorization: `Bearer ${body.key}`,
        'harn-agents-protocol-version': 'agents-protocol-2026-04-25',
      },
    });
    await act(body.id, 'revoke');
    await stage.gateway.tidy();
    expect(await response.text()).toContain('"code":"unauthenticated"');
  });

  it('grant at most what their maker holds', async () => {
    const warden = stage.gateway.clients['warden'];
    const wide = await make({ ...GRANT, scopes: ['sessions:read', 'tasks:write'] }, warden);
    expect([wide.status, wide.body.error.code, wide.body.error.param]).toEqual([
      403,
      'permission_denied',
      'scopes[1]',
    ]);
    const all = await make({ ...GRANT, scopes: ['*'] }, warden);
    expect([all.status, all.body.error.param]).toEqual([403, 'scopes[0]']);
    const elsewhere = await make({ ...GRANT, workspaces: ['workspace_default', 'workspace_b'] });
    expect([elsewhere.status, elsewhere.body.error.param]).toEqual([404, 'workspaces[1]']);
    const star = await make({ ...GRANT, workspaces: ['*'] });
    expect([star.status, star.body.error.param]).toEqual([404, 'workspaces[0]']);
  });

  it('cannot be rotated by somebody who could not have made them', async () => {
    const { body } = await make();
    const outsider = stage.gateway.clients['outsider'];
    expect((await outsider?.call('POST', `/v1/admin/api-keys/${body.id}/rotate`))?.status).toBe(404);
  });

  it('refuse bad grants by the name of the member', async () => {
    for (const [change, param] of [
      [{ name: 'Not A Name' }, 'name'],
      [{ scopes: ['everything'] }, 'scopes[0]'],
      [{ scopes: [] }, 'scopes'],
      [{ workspaces: [] }, 'workspaces'],
      [{ expires_at: 'tomorrow' }, 'expires_at'],
      [{ metadata: { password: 'x' } }, 'metadata.password'],
    ] as const) {
      const { status, body } = await make({ ...GRANT, ...change });
      expect([status, body.error.param]).toEqual([400, param]);
    }
  });
});

it('API keys made at run time are still good, and still ended, after a restart', async () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-keys-'));
  const first = await startTestGateway({ data });
  const make = () =>
    first.client.call<Made>('POST', '/v1/admin/api-keys', { body: { ...GRANT, actor: 'ci-bot' } });
  const [good, ended] = [(await make()).body, (await make()).body];
  await first.client.call('POST', `/v1/admin/api-keys/${ended.id}/revoke`);
  await first.close();
  const second = await startTestGateway({ data });
  const statusOf = async ({ key }: Made) =>
    (await new TestClient(second.url, key).call('GET', '/v1/sessions')).status;
  expect([await statusOf(good), await statusOf(ended)]).toEqual([200, 401]);
  await second.close();
  rmSync(data, { recursive: true });
});
