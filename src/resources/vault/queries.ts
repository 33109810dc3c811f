import { getOf, listOf } from '#core/collection.ts';
import { vaultKeys } from './state.ts';

export const listVaults = listOf({
  keyOf: vaultKeys.vault,
  ofTenant: vaultKeys.vaultsOfTenant,
  ofWorkspace: vaultKeys.vaultsOfWorkspace,
});

export const getVault = getOf('vault', 'vault_id');
