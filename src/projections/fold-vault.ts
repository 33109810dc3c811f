import type { Event, StateWriter } from '../eventlog/event-log.ts';
import { payload } from './payload.ts';
import { listPrefix, stateKey } from './state-keys.ts';
import type { VaultState } from './states.ts';

export function foldVaultCreated(event: Event, states: StateWriter): void {
  const { vault, tenant } = payload(event, 'vendor.harn_gateway.vault_created');
  states.set(stateKey.vault(vault.id), { resource: vault, internal: { tenant } } satisfies VaultState);
  const { workspace_id } = vault;
  const list = workspace_id ? listPrefix.vaultsOfWorkspace(workspace_id) : listPrefix.vaultsOfTenant(tenant);
  states.index(list + vault.id);
}
