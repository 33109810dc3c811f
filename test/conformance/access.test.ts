import { beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationRow } from '../../src/protocol/operations.ts';
import { userText } from '../harness/client.ts';
import { stageOf } from './stage.ts';

type Params = Record<string, string>;

/** Bodies that are valid wherever they go, so that a refusal is about access and nothing else. */
const BODIES: Record<string, (ids: Params) => unknown> = {
  createWorkspace: () => ({ name: 'n', root: 'harn://n' }),
  createSession: (ids) => ({ workspace_id: ids['workspace_id'] }),
  appendSessionMessage: () => ({ message: userText('x') }),
  submitSessionTask: () => ({ input: userText('x') }),
  submitTask: (ids) => ({ session_id: ids['session_id'], input: userText('x') }),
  appendTaskMessage: () => ({ kind: 'input', message: userText('x') }),
  registerArtifact: (ids) => ({
    kind: 'file',
    mime_type: 'text/plain',
    visibility: 'public',
    workspace_id: ids['workspace_id'],
  }),
  truncateSession: () => ({ keep_first: 0 }),
  createSessionBranch: () => ({ kind: 'session', base_ref: 'x' }),
};
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

const path = (row: OperationRow, ids: Params) =>
  row.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `${name.replace('_id', '')}_absent`);
const namesIn = ({ id, row }: Case) => {
  const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return [...inPath, ...(['createSession', 'submitTask', 'registerArtifact'].includes(id) ? ['body'] : [])];
};

describe('access, for every operation', () => {
  const stage = stageOf({
    config: {
      tenants: [{ id: 'tenant_other' }],
      workspaces: [{ id: 'workspace_foreign', tenant: 'tenant_other' }, { id: 'workspace_b' }],
    },
    keys: [
      { actor: 'powerless', scopes: ['outcomes:read'] },
      { actor: 'admin_only', scopes: ['admin'] },
      { actor: 'foreign_tenant', tenant: 'tenant_other', workspaces: ['workspace_foreign'] },
      { actor: 'foreign_workspace', workspaces: ['workspace_b'] },
    ],
  });
  const real: Params = { workspace_id: 'workspace_default' };
  const absent: Params = {};

  beforeAll(async () => {
    const task = await stage.client.submit('ask');
    await stage.client.until(task.id, 'INPUT_REQUIRED');
    const done = await stage.client.submit('stream 1', task.session_id);
    const { outcome_id } = await stage.client.until(done.id, 'COMPLETED');
    const first = async (list: string) =>
      (await stage.client.get<{ data: { id: string }[] }>(list)).data[0]?.id ?? '';
    const fork = await stage.client.post<{ branch_id: string }>(`/v1/sessions/${task.session_id}/fork`);
    Object.assign(real, {
      session_id: task.session_id,
      task_id: task.id,
      branch_id: fork.branch_id,
      outcome_id,
      message_id: await first(`/v1/sessions/${task.session_id}/messages`),
      artifact_id: await first(`/v1/artifacts?session_id=${task.session_id}`),
      event_id: await first(`/v1/tasks/${task.id}/events`),
    });
    for (const [name, id] of Object.entries(real)) absent[name] = id.replace(/.{6}$/, '000000');
  });

  const call = (client = stage.client, { id, row }: Case, ids: Params, headers = {}) => {
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

  it.each(ROWS)('[CORE-AUTH-01] $title: no key, a wrong key or a wrong scheme is 401', async (operation) => {
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

  it.each(ROWS)(
    '[CORE-AUTH-03] $title: without its scope 403, the same for what is there and what is not',
    async (operation) => {
      const actors = operation.row.scope === 'outcomes:read' ? ['admin_only'] : ['powerless', 'admin_only'];
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

  it.each(ROWS.filter((row) => namesIn(row).length > 0))(
    '[CORE-AUTH-04] [S5-03] $title: what belongs to others is what never existed, to the byte',
    async (operation) => {
      for (const actor of ['foreign_tenant', 'foreign_workspace']) {
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

  it('[CORE-AUTH-04] filters of lists hide in the same way', async () => {
    const lists = ROWS.filter(({ row }) => row.query !== undefined && row.method === 'GET');
    const filtered = lists.flatMap(({ row }) =>
      FILTERS.filter((name) => name in (row.query?.shape ?? {})).map((name) => ({ row, name })),
    );
    expect(filtered.length).toBeGreaterThan(5);
    for (const { row, name } of filtered) {
      const ask = (ids: Params) =>
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

  it('[CORE-AUTH-04] nothing that others tried left a trace or an effect', async () => {
    const events = await stage.client.events('/v1/events');
    expect(new Set(events.map((event) => event['actor']))).toEqual(
      new Set([null, 'actor_test', 'a2a:sample']),
    );
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
