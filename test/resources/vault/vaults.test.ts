import { describe, expect, it } from 'vitest';
import { stageOf } from '../../conformance/stage.ts';
import { OTHER_TENANT } from '../../harness/tenants.ts';

interface Vault {
  id: string;
  [member: string]: unknown;
}

describe('vaults', () => {
  const stage = stageOf({ config: OTHER_TENANT.config, keys: [OTHER_TENANT.key] });
  const create = (body: object = {}) =>
    stage.client.post<Vault>('/v1/vaults', { provider: 'hashicorp', capabilities: ['secret.read'], ...body });

  it('[C26] [EXT-VLT-04] are descriptors of a workspace or of the tenant', async () => {
    const own = await create({ workspace_id: 'workspace_default', metadata: { path: 'kv/shop' } });
    expect(own).toMatchObject({
      object: 'vault',
      id: expect.stringMatching(/^vault_/),
      provider: expect.any(String),
      capabilities: expect.any(Array),
      workspace_id: 'workspace_default',
      metadata: { path: 'kv/shop' },
    });
    expect(await stage.client.get(`/v1/vaults/${own.id}`)).toEqual(own);
    const shared = await create();
    expect(shared['workspace_id']).toBeNull();
    const { data } = await stage.client.get<{ data: Vault[] }>('/v1/vaults?limit=2');
    expect(data.map(({ id }) => id)).toEqual([shared.id, own.id]);
    const inWorkspace = await stage.client.get<{ data: Vault[] }>(
      '/v1/vaults?workspace_id=workspace_default',
    );
    expect(inWorkspace.data.map(({ id }) => id)).not.toContain(shared.id);
  });

  it.each([
    ['metadata.Password', { metadata: { Password: 'x' } }],
    ['metadata.login[0].db_api_key', { metadata: { login: [{ db_api_key: 1 }] } }],
    ['metadata', { metadata: { note: 'use ghp_abcdefghijklmnopqrstuvwxyz0123456789' } }],
    ['capabilities', { capabilities: ['ghp_abcdefghijklmnopqrstuvwxyz0123456789'] }],
  ])('[C26] refuse a secret in %s and keep nothing of it', async (param, body) => {
    const answer = await stage.client.call('POST', '/v1/vaults', {
      body: { provider: 'x', capabilities: [], ...body },
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 'invalid_request', param } });
    expect(answer.text).not.toContain('ghp_');
  });

  it('are hidden from other tenants', async () => {
    const { id } = await create();
    const stranger = stage.as('stranger');
    expect((await stranger.call('GET', `/v1/vaults/${id}`)).status).toBe(404);
    expect((await stranger.get<{ data: Vault[] }>('/v1/vaults')).data).toEqual([]);
    const foreign = await stage.client.call('POST', '/v1/vaults', {
      body: { provider: 'x', capabilities: [], workspace_id: OTHER_TENANT.workspace },
    });
    expect(foreign.body).toMatchObject({ error: { code: 'resource_not_found', param: 'workspace_id' } });
  });

  it('may be named by sessions', async () => {
    const { id } = await create();
    const session = { workspace_id: 'workspace_default', vault_ids: [id] };
    const made = await stage.client.post<{ id: string }>('/v1/sessions', session);
    const [created] = await stage.client.events(`/v1/sessions/${made.id}/events`);
    expect(created?.payload['vault_ids']).toEqual([id]);
    const absent = { workspace_id: 'workspace_default', vault_ids: [id, 'vault_none'] };
    const answer = await stage.client.call('POST', '/v1/sessions', { body: absent });
    expect(answer.body).toMatchObject({ error: { code: 'resource_not_found', param: 'vault_ids[1]' } });
  });
});
