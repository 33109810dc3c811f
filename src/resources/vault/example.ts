import { resource, WORKSPACE } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Vault: resource('vault', 'vault_01KAHG6QJC3G0Z2K4N6Q8S0V2', {
    workspace_id: WORKSPACE,
    provider: 'env',
    capabilities: ['read'],
  }),
  CreateVaultRequest: { workspace_id: 'workspace_default', provider: 'env', capabilities: ['read'] },
} satisfies Examples;
