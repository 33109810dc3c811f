import { newEvent } from '#core/new-event.ts';
import { unlessDamaged } from '#core/unless-damaged.ts';
import type { EventLog, Transaction } from '#eventlog/event-log.ts';
import { canonicalJson } from '#json/canonical.ts';
import { type Clean, type CleanText, word } from '#protocol/clean.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Vault } from './schema.ts';
import { type CleanConfiguredVaultsState, type CleanVaultState, vaultKeys } from './state.ts';

/** What of a configured vault may be known: never where it is, nor what is in it. */
export interface ConfiguredVault {
  id: CleanText;
  workspace?: CleanText | undefined;
  tenant: CleanText;
  provider: 'encrypted_file' | 'environment' | 'file';
}

/** What a configured vault can do; one that is not configured any more can do nothing. */
const CAPABILITIES = [word('secret.resolve')];

/**
 * Makes the log say what the configuration says: a descriptor for each vault. One that is gone leaves its descriptor, because
 * sessions name it, without a capability. What is damaged stays as it is: it keeps no gateway from starting.
 */
export async function ensureVaults(log: EventLog, rows: readonly ConfiguredVault[]): Promise<void> {
  const known = (id: string) => log.state<CleanVaultState>(vaultKeys.vault(id));
  const listed = () => log.state<CleanConfiguredVaultsState>(vaultKeys.configuredVaults)?.ids ?? [];
  const configured = unlessDamaged(listed, undefined);
  if (configured === undefined) return;
  const gone = configured.filter(
    (id) => !rows.some((row) => row.id === id) && unlessDamaged(() => known(id), undefined),
  );
  const changed = rows.filter((row) => !unlessDamaged(() => says(known(row.id), row), true));
  if (changed.length + gone.length === 0) return;
  await log.transact({ actor: null }, (tx) => {
    for (const row of changed) describe(tx, { ...row, provider: word(row.provider) }, CAPABILITIES);
    for (const id of gone) withdraw(tx, id);
  });
}

function says(state: CleanVaultState | undefined, { workspace, tenant, provider }: ConfiguredVault): boolean {
  if (state === undefined) return false;
  const { resource, internal } = state;
  const recorded = [resource.workspace_id, internal.tenant, resource.provider, resource.capabilities];
  const wanted = [workspace ?? null, tenant, provider, CAPABILITIES];
  return canonicalJson(recorded as JsonValue) === canonicalJson(wanted as JsonValue);
}

function withdraw(tx: Transaction, id: CleanText): void {
  const state = tx.get<CleanVaultState>(vaultKeys.vault(id));
  if (state === undefined || state.resource.capabilities.length === 0) return;
  const { workspace_id, provider } = state.resource;
  const place = { workspace: workspace_id ?? undefined, tenant: state.internal.tenant };
  describe(tx, { id, ...place, provider }, []);
}

function describe(
  tx: Transaction,
  { id, workspace, tenant, provider }: Omit<ConfiguredVault, 'provider'> & { provider: CleanText },
  capabilities: CleanText[],
): void {
  const known = tx.get<CleanVaultState>(vaultKeys.vault(id))?.resource;
  const vault: Clean<Vault> = {
    id,
    object: 'vault',
    created_at: known?.created_at ?? tx.time,
    updated_at: tx.time,
    metadata: {},
    workspace_id: workspace ?? null,
    provider,
    capabilities,
  };
  const place = workspace === undefined ? { tenant_id: tenant } : { workspace_id: workspace };
  const pointer = { object: 'vault', id };
  tx.append(newEvent('vendor.harn_gateway.vault_configured', pointer, place, { vault, tenant }));
}
