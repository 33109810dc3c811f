import type { Config } from '#config/load.ts';
import type { SecretRef } from '#config/secret.ts';
import type { NeededVault } from '#core/facts.ts';
import { parseVaultRef } from '#resources/vault/secrets/vault-row.ts';

/** The vaults that hold the credentials of each configured agent, and what its program finds in its environment. */
export function vaultsOfRoutes({ upstreams, vaults }: Config): (route: string) => readonly NeededVault[] {
  const rows = Object.entries(upstreams).flatMap(([bridge, agents]) =>
    agents.map((agent) => [`${bridge}:${agent.id}`, neededBy(agent, vaults)] as const),
  );
  const byRoute = new Map<string, NeededVault[]>(rows);
  return (route) => byRoute.get(route) ?? [];
}

interface Agent {
  auth?: { value: SecretRef } | undefined;
  env?: Readonly<Record<string, string | SecretRef>>;
}

function neededBy({ auth, env = {} }: Agent, vaults: Config['vaults']): NeededVault[] {
  const refs = [auth?.value, ...Object.values(env)].flatMap((value) =>
    typeof value === 'object' && 'vault' in value ? (parseVaultRef(value.vault) ?? []) : [],
  );
  const ids = new Set(refs.map(({ vaultId }) => vaultId));
  return vaults
    .filter(({ id }) => ids.has(id))
    .map(({ id, workspace }) => ({ id, workspaceId: workspace ?? null }));
}
