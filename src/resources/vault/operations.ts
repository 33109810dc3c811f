import { listOf } from '#protocol/envelope.ts';
import { filter, type OperationRow, page } from '#protocol/operation-row.ts';
import { createVaultRequest, vault } from './schema.ts';

export const vaultsOperations = {
  listVaults: {
    kind: 'query',
    method: 'GET',
    path: '/v1/vaults',
    tag: 'Vaults',
    summary: 'List Vaults, newest first; never what they hold.',
    scope: 'vaults:read',
    level: 'extended',
    success: 200,
    query: page.extend({ workspace_id: filter }),
    response: listOf(vault),
  },
  createVault: {
    kind: 'command',
    method: 'POST',
    path: '/v1/vaults',
    tag: 'Vaults',
    summary: 'Register a Vault as a descriptor; secrets in it are refused, and it resolves nothing.',
    scope: 'vaults:write',
    level: 'extended',
    success: 201,
    body: createVaultRequest,
    response: vault,
  },
  getVault: {
    kind: 'query',
    method: 'GET',
    path: '/v1/vaults/{vault_id}',
    tag: 'Vaults',
    summary: 'Read the description of a Vault.',
    scope: 'vaults:read',
    level: 'extended',
    success: 200,
    response: vault,
  },
} as const satisfies Record<string, OperationRow>;
