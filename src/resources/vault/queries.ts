import { listPage, paging, visibleWorkspaces } from '#core/list-page.ts';
import { load, loadWorkspace } from '#core/load.ts';
import { ok, type Query } from '#core/query.ts';
import { vaultKeys } from './state.ts';

export const listVaults: Query<'listVaults'> = async ({ query }, tools) => {
  const { reader, caller } = tools;
  const lists = query.workspace_id
    ? [
        vaultKeys.vaultsOfWorkspace(
          loadWorkspace(reader, caller, query.workspace_id, 'workspace_id').resource.id,
        ),
      ]
    : [
        vaultKeys.vaultsOfTenant(caller.tenant),
        ...(await visibleWorkspaces(tools)).map(vaultKeys.vaultsOfWorkspace),
      ];
  return listPage(tools, { lists, ...paging(query), keyOf: vaultKeys.vault });
};

export const getVault: Query<'getVault'> = ({ path }, { reader, caller }) =>
  ok(load(reader, caller, 'vault', path.vault_id).resource, caller);
