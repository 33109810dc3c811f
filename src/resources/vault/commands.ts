import type { Command, Handlers } from '#core/command.ts';
import { metadataOf } from '#core/decode-input.ts';
import { load, loadWorkspace } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import type { Clean } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import { getVault, listVaults } from './queries.ts';
import { refuseSecrets } from './refuse-secrets.ts';
import type { Vault } from './schema.ts';

const createVault: Command<'createVault'> = {
  decide({ body, sent }, tx, facts) {
    const { tenant } = facts.by;
    const { provider, capabilities } = body;
    const workspace = body.workspace_id
      ? loadWorkspace(tx, facts.caller, body.workspace_id, 'workspace_id').resource
      : undefined;
    const said = { provider: sent.provider, capabilities: sent.capabilities, metadata: sent.metadata ?? {} };
    refuseSecrets(said satisfies JsonObject, facts);
    const vault: Clean<Vault> = {
      id: facts.newId('vault'),
      object: 'vault',
      created_at: tx.time,
      updated_at: tx.time,
      metadata: metadataOf(body),
      workspace_id: workspace?.id ?? null,
      provider,
      capabilities,
    };
    const place = workspace ? { workspace_id: workspace.id } : { tenant_id: tenant };
    const pointer = { object: 'vault', id: vault.id };
    tx.append(newEvent('vendor.harn_gateway.vault_created', pointer, place, { vault, tenant }));
    return { body: load(tx, facts.caller, 'vault', vault.id).resource };
  },
};

export const handlers = {
  createVault,
  getVault,
  listVaults,
} satisfies Partial<Handlers>;
