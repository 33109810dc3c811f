import type { Clean } from '#protocol/clean.ts';
import { type Folded, idKey, idList, textList } from '#resources/states.ts';
import type { Vault } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const vaultKeys = {
  vault: idKey<CleanVaultState>('r/vault/'),
  configuredVaults: 'x/configured-vaults',
  vaultsOfTenant: textList('l/vault/t/'),
  vaultsOfWorkspace: idList('l/vault/w/'),
} as const;

export type VaultState = Folded<Vault, { tenant: string }>;

/** Ids of the vaults that the configuration has, or had. */
export interface ConfiguredVaultsState {
  ids: string[];
}

/** As they are read: what was folded of clean events is clean. */
export type CleanVaultState = Clean<VaultState>;
export type CleanConfiguredVaultsState = Clean<ConfiguredVaultsState>;
