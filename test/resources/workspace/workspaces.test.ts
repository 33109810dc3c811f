import { describe, expect, it } from 'vitest';
import { workspaceNames } from '#compose/core.ts';
import { loadConfig } from '#config/load.ts';
import type { Workspace } from '#resources/workspace/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { userText } from '../../harness/client.ts';

interface List {
  data: Workspace[];
  page: { has_more: boolean; next_cursor: string | null };
}

describe('workspaces', () => {
  const workspaces = ['workspace_default', 'workspace_b', 'workspace_c'];
  const stage = stageOf({
    config: { workspaces: [{ id: 'workspace_b', name: 'B' }, { id: 'workspace_c' }] },
    keys: [
      { actor: 'member', workspaces: ['workspace_b', 'workspace_default'] },
      { actor: 'chief', workspaces: ['workspace_c', 'workspace_default', 'workspace_b'] },
    ],
  });

  it('[S7-02] workspace_default exists from the first start, configured ones too', async () => {
    expect(await stage.client.get('/v1/workspaces/workspace_default')).toMatchObject({ object: 'workspace' });
    expect(await stage.as('chief').get('/v1/workspaces/workspace_b')).toMatchObject({ name: 'B' });
    expect(await stage.as('chief').get('/v1/workspaces/workspace_c')).toMatchObject({ name: 'workspace_c' });
  });

  it('[S7-02] what names no workspace goes to the first of the actor', async () => {
    const body = { kind: 'log', mime_type: 'text/plain', visibility: 'public' };
    expect(await stage.as('member').post('/v1/artifacts', body)).toMatchObject({
      workspace_id: 'workspace_b',
    });
    expect(await stage.client.post('/v1/artifacts', body)).toMatchObject({
      workspace_id: 'workspace_default',
    });
  });

  it.each(['member', 'chief'])('[C6] the list of a %s pages to its end', async (actor) => {
    const seen: string[] = [];
    let cursor = '';
    for (;;) {
      const page = await stage.as(actor).get<List>(`/v1/workspaces?limit=1${cursor}`);
      expect(page.data.length).toBe(1);
      seen.push(...page.data.map(({ id }) => id));
      if (!page.page.has_more) break;
      cursor = `&cursor=${page.page.next_cursor}`;
    }
    expect(seen.sort()).toEqual(
      actor === 'chief' ? [...workspaces].sort() : ['workspace_b', 'workspace_default'],
    );
  });

  it('[EXT-WSP-01] a made workspace belongs to its maker: seen, listed, updated, hidden from other members', async () => {
    const made = await stage.client.post<Workspace>('/v1/workspaces', {
      name: 'Lab',
      root: 'harn://lab',
      image: 'node:20',
      metadata: { team: 'a' },
    });
    expect(made.id).toMatch(/^workspace_/);
    expect(made).toMatchObject({ name: 'Lab', root: 'harn://lab', default_branch_id: null });
    expect(await stage.client.get(`/v1/workspaces/${made.id}`)).toEqual(made);
    const { data } = await stage.client.get<List>('/v1/workspaces');
    expect(data.map(({ id }) => id)).toContain(made.id);
    expect((await stage.as('member').call('GET', `/v1/workspaces/${made.id}`)).status).toBe(404);
    const changed = await stage.client.call<Workspace>('PATCH', `/v1/workspaces/${made.id}`, {
      body: { name: 'Lab 2', metadata: { floor: 3 } },
    });
    expect(changed.body).toMatchObject({
      name: 'Lab 2',
      root: 'harn://lab',
      metadata: { team: 'a', floor: 3 },
    });
    expect(await stage.client.get(`/v1/workspaces/${made.id}`)).toEqual(changed.body);
  });

  it('[S4-01] a secret in its metadata is replaced in the answer too', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const body = { name: 'Leaky', root: 'harn://leaky', metadata: { note: secret } };
    const made = await stage.client.call('POST', '/v1/workspaces', { body });
    expect(made.status).toBe(201);
    expect(made.text).not.toContain(secret);
    expect(await stage.client.get(`/v1/workspaces/${made.body['id']}`)).toEqual(made.body);
  });
});

describe('workspace_local on loopback', () => {
  const stage = stageOf({
    keys: [{ actor: 'stranger', workspaces: ['workspace_b'] }],
    config: { workspaces: [{ id: 'workspace_b' }] },
  });

  it('[S7-02] the examples of Harn run unchanged: a session is opened in it, listed by it, and works', async () => {
    const session = await stage.client.post<{ id: string; workspace_id: string }>('/v1/sessions', {
      workspace_id: 'workspace_local',
    });
    expect(session.workspace_id).toBe('workspace_default');
    const listed = await stage.client.get<List>('/v1/sessions?workspace_id=workspace_local');
    expect(listed.data.map(({ id }) => id)).toContain(session.id);
    const task = await stage.client.post<{ id: string; workspace_id: string }>('/v1/tasks', {
      session: { workspace_id: 'workspace_local' },
      workspace_id: 'workspace_local',
      input: userText('hello'),
    });
    await stage.client.until(task.id, 'COMPLETED');
    expect(task.workspace_id).toBe('workspace_default');
  });

  it('[S7-02] is read, changed and remembered in under its other name, and listed once', async () => {
    const path = '/v1/workspaces/workspace_local';
    expect(await stage.client.get(path)).toMatchObject({ id: 'workspace_default' });
    const changed = await stage.client.call('PATCH', path, { body: { name: 'Home' } });
    expect([changed.status, changed.body]).toMatchObject([200, { id: 'workspace_default', name: 'Home' }]);
    const memory = { scope: 'workspace', owner_id: 'workspace_local', content: 'blue', provenance: {} };
    expect(await stage.client.post('/v1/memories', memory)).toMatchObject({
      workspace_id: 'workspace_default',
    });
    const { data } = await stage.client.get<List>('/v1/workspaces');
    expect(data.map(({ id }) => id)).not.toContain('workspace_local');
  });

  it('[S7-02] is no way around membership', async () => {
    const asked = await stage.as('stranger').call('GET', '/v1/workspaces/workspace_local');
    expect(asked.status).toBe(404);
  });
});

describe('workspace_local off loopback', () => {
  it.each([
    ['127.0.0.1', 'workspace_default'],
    ['localhost', 'workspace_default'],
    ['10.0.0.1', 'workspace_local'],
    ['gateway.example.com', 'workspace_local'],
  ])('[S7-02] on %s it names %s', (host, id) => {
    const { server } = loadConfig({ flags: {}, env: {}, cwd: '/', packageRoot: '/nowhere' });
    const idOf = workspaceNames({ server: { ...server, host } }, { state: () => undefined });
    expect([idOf('workspace_local'), idOf('workspace_b')]).toEqual([id, 'workspace_b']);
  });
});

describe('a configured workspace_local', () => {
  const stage = stageOf({ config: { workspaces: [{ id: 'workspace_local', name: 'Own' }] } });

  it('[S7-02] is itself', async () => {
    expect(await stage.client.get('/v1/workspaces/workspace_default')).toMatchObject({
      id: 'workspace_default',
    });
    const asked = await stage.client.call('GET', '/v1/workspaces/workspace_local');
    expect(asked.status).toBe(404);
  });
});
