import { ok } from '#core/answer.ts';
import { listPage, paging, visibleWorkspaces } from '#core/list-page.ts';
import { load, loadWorkspace } from '#core/load.ts';
import type { Query } from '#core/query.ts';
import { listPrefix, stateKey } from '#resources/state-keys.ts';

export const listVaults: Query<'listVaults'> = async ({ query }, tools) => {
  const { reader, caller } = tools;
  const lists = query.workspace_id
    ? [
        listPrefix.vaultsOfWorkspace(
          loadWorkspace(reader, caller, query.workspace_id, 'workspace_id').resource.id,
        ),
      ]
    : [
        listPrefix.vaultsOfTenant(caller.tenant),
        ...(await visibleWorkspaces(tools)).map(listPrefix.vaultsOfWorkspace),
      ];
  return listPage(tools, { lists, ...paging(query), keyOf: stateKey.vault });
};

export const getVault: Query<'getVault'> = ({ path }, { reader, caller }) =>
  ok(load(reader, caller, 'vault', path.vault_id).resource, caller);
