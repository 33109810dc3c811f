import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationRow } from '#resources/operations.ts';
import { BODIES, CONNECTOR, type Ids, makeWorld, namesIn, OUTBOUND, QUOTA, SEEN_BY } from './access-world.ts';
import { stageOf } from './stage.ts';

/** Filters of lists, which name resources too. */
const FILTERS = ['workspace_id', 'session_id', 'task_id'];

interface Case {
  id: string;
  row: OperationRow;
  title: string;
}

const ROWS: Case[] = Object.entries<OperationRow>(OPERATIONS)
  .filter(([, { scope }]) => scope !== 'public')
  .map(([id, row]) => ({ id, row, title: `${row.method} ${row.path}` }));
/** Signed requests carry no key. */
const KEYED = ROWS.filter(({ row }) => row.scope !== 'signature');
const SIGNED = ROWS.filter(({ row }) => row.scope === 'signature');

const path = (row: OperationRow, ids: Ids) =>
  row.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `${name.replace('_id', '')}_absent`);
/** Callers who must not learn that what the operation touches exists. */
const strangersTo = ({ id, row }: Case) =>
  ['foreign_tenant', 'foreign_workspace'].filter(
    (actor) => !namesIn(id, row).some((name) => SEEN_BY[name]?.includes(actor)),
  );

describe('access, for every operation', () => {
  const directory = mkdtempSync(join(tmpdir(), 'harn-access-'));
  const file = join(directory, 'connector-secret');
  writeFileSync(file, 'a-connector-secret-0123456789');
  afterAll(() => rmSync(directory, { recursive: true }));
  const connector = { id: CONNECTOR, provider: 'shop', auth: { type: 'hmac-sha256', secret: { file } } };
  const stage = stageOf({
    config: {
      tenants: [{ id: 'tenant_other' }],
      outbound: OUTBOUND,
      quotas: [QUOTA],
      connectors: [connector],
      workspaces: [{ id: 'workspace_foreign', tenant: 'tenant_other' }, { id: 'workspace_b' }],
    },
    keys: [
      { actor: 'powerless', scopes: ['outcomes:read'] },
      { actor: 'admin_only', scopes: ['admin'] },
      { actor: 'foreign_tenant', tenant: 'tenant_other', workspaces: ['workspace_foreign'] },
      { actor: 'foreign_workspace', workspaces: ['workspace_b'] },
    ],
  });
  let real: Ids = {};
  let absent: Ids = {};
  beforeAll(async () => {
    ({ real, absent } = await makeWorld(stage));
  });

  const call = (client = stage.client, { id, row }: Case, ids: Ids, headers = {}) => {
    const body = row.body === 'bytes' ? Buffer.from('x') : row.body && (BODIES[id]?.(ids) ?? {});
    return client.call(row.method, path(row, ids), { ...(body === undefined ? {} : { body }), headers });
  };
  const without = (text: string) => text.replace(/"request_id":"[^"]*"/, '"request_id":""');

  it('has an id for every path parameter of the table', () => {
    const names = new Set(
      ROWS.flatMap(({ row }) => [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)),
    );
    expect([...names].filter((name) => real[name] === undefined || real[name] === '')).toEqual([]);
  });

  it.each(KEYED)('[CORE-AUTH-01] $title: no key, a wrong key or a wrong scheme is 401', async (operation) => {
    for (const authorization of [
      undefined,
      'Bearer harn_test_k0_wrong',
      `Basic ${stage.client.key}`,
      stage.client.key,
    ]) {
      const answer = await call(stage.client, operation, real, { authorization });
      expect(answer.status).toBe(401);
      expect(answer.body).toMatchObject({ error: { code: 'unauthenticated', type: 'auth_error' } });
    }
  });

  it.each(KEYED.filter(({ row }) => row.scope === 'any'))(
    '$title: whoever has a credential is answered about that one alone',
    async (operation) => {
      const { status, body } = await call(stage.as('powerless'), operation, real);
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ actor: 'powerless', scopes: ['outcomes:read'] }),
      ]);
    },
  );

  it.each(KEYED.filter(({ row }) => row.scope !== 'any'))(
    '[CORE-AUTH-03] $title: without its scope 403, the same for what is there and what is not',
    async (operation) => {
      const holders: Record<string, string> = { 'outcomes:read': 'powerless', admin: 'admin_only' };
      const actors = ['powerless', 'admin_only'].filter((actor) => actor !== holders[operation.row.scope]);
      for (const actor of actors) {
        const there = await call(stage.as(actor), operation, real);
        expect(there.status).toBe(403);
        expect(there.body).toMatchObject({
          error: { code: 'permission_denied', details: { required_scope: operation.row.scope } },
        });
        const nowhere = await call(stage.as(actor), operation, absent);
        expect(without(nowhere.text)).toBe(without(there.text));
      }
    },
  );

  it.each(KEYED.filter(({ id, row }) => namesIn(id, row).length > 0))(
    '[CORE-AUTH-04] [S5-03] $title: what belongs to others is what never existed, to the byte',
    async (operation) => {
      for (const actor of strangersTo(operation)) {
        const foreign = await call(stage.as(actor), operation, real);
        const never = await call(stage.as(actor), operation, absent);
        expect([actor, foreign.status]).toEqual([actor, 404]);
        expect(foreign.body).toMatchObject({
          error: { code: 'resource_not_found', type: 'not_found_error' },
        });
        expect(without(foreign.text)).toBe(without(never.text));
      }
    },
  );

  it.each(SIGNED)(
    '[CORE-AUTH-04] [C22] $title: without a signature 401, whatever is there',
    async (operation) => {
      const there = await call(stage.client, operation, real, { authorization: undefined });
      expect(there.status).toBe(401);
      const nowhere = await call(stage.client, operation, absent, { authorization: undefined });
      expect(without(nowhere.text)).toBe(without(there.text));
    },
  );

  it('[CORE-AUTH-04] filters of lists hide in the same way', async () => {
    const lists = ROWS.filter(({ row }) => row.query !== undefined && row.method === 'GET');
    const filtered = lists.flatMap(({ row }) =>
      FILTERS.filter((name) => name in (row.query?.shape ?? {})).map((name) => ({ row, name })),
    );
    expect(filtered.length).toBeGreaterThan(5);
    for (const { row, name } of filtered) {
      const ask = (ids: Ids) =>
        stage.as('foreign_workspace').call('GET', `${path(row, real)}?${name}=${ids[name]}`);
      const foreign = await ask(real);
      expect([row.path, name, foreign.status]).toEqual([row.path, name, 404]);
      expect(without((await ask(absent)).text)).toBe(without(foreign.text));
    }
  });

  it('[CORE-AUTH-03] lists of others hold nothing of ours', async () => {
    for (const list of ['/v1/sessions', '/v1/tasks', '/v1/artifacts', '/v1/outcomes', '/v1/events']) {
      for (const actor of ['foreign_tenant', 'foreign_workspace']) {
        expect((await stage.as(actor).call('GET', list)).text).not.toContain('workspace_default');
      }
    }
  });

  it('[CORE-AUTH-04] nothing that others tried left an effect, or a trace but that members lack a scope', async () => {
    const events = await stage.client.events('/v1/events');
    const refused = ['vendor.harn_gateway.call_refused', 'vendor.harn_gateway.trust_recorded'];
    const actorsOf = (isRefusal: boolean) =>
      new Set(events.filter(({ event }) => refused.includes(event) === isRefusal).map(({ actor }) => actor));
    expect(actorsOf(false)).toEqual(new Set([null, 'actor_test', 'a2a:sample']));
    expect(actorsOf(true)).toEqual(new Set(['powerless', 'admin_only']));
    expect(await stage.client.get(`/v1/tasks/${real['task_id']}`)).toMatchObject({
      status: 'INPUT_REQUIRED',
    });
  });

  it('[CORE-AUTH-01] every event tells who caused it', async () => {
    const events = await stage.client.events(`/v1/tasks/${real['task_id']}/events`);
    const actors = Object.fromEntries(events.map(({ event, ...rest }) => [event, rest['actor']]));
    expect(actors).toMatchObject({ 'task.submitted': 'actor_test', 'task.input_required': 'a2a:sample' });
  });
});
