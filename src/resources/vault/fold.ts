import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import type { Vault } from './schema.ts';
import { type ConfiguredVaultsState, type VaultState, vaultKeys } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.vault_created': [foldVaultCreated],
  'vendor.harn_gateway.vault_configured': [foldVaultConfigured],
};

function foldVaultCreated(event: Event, states: StateWriter): void {
  const { vault, tenant } = payload(event, 'vendor.harn_gateway.vault_created');
  keep(states, vault, tenant);
}

/** The configuration may have moved it to another workspace since it was last read. */
function foldVaultConfigured(event: Event, states: StateWriter): void {
  const { vault, tenant } = payload(event, 'vendor.harn_gateway.vault_configured');
  const before = states.get<VaultState>(vaultKeys.vault(vault.id));
  if (before) states.unindex(listOf(before.resource, before.internal.tenant) + vault.id);
  keep(states, vault, tenant);
  const { ids } = states.get<ConfiguredVaultsState>(vaultKeys.configuredVaults) ?? { ids: [] };
  const known = ids.includes(vault.id) ? ids : [...ids, vault.id];
  states.set(vaultKeys.configuredVaults, { ids: known } satisfies ConfiguredVaultsState);
}

function keep(states: StateWriter, vault: Vault, tenant: string): void {
  states.set(vaultKeys.vault(vault.id), { resource: vault, internal: { tenant } } satisfies VaultState);
  states.index(listOf(vault, tenant) + vault.id);
}

function listOf({ workspace_id }: Vault, tenant: string): string {
  return workspace_id ? vaultKeys.vaultsOfWorkspace(workspace_id) : vaultKeys.vaultsOfTenant(tenant);
}
