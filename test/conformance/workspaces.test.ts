import { describe, expect, it } from 'vitest';
import type { Workspace } from '../../src/protocol/resources/workspace.ts';
import { stageOf } from './stage.ts';

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
