import { listPrefix, stateKey } from '../../projections/state-keys.ts';
import { ok } from '../answer.ts';
import { listPage, visibleWorkspaces } from '../list-page.ts';
import { load, loadWorkspace } from '../load.ts';
import type { Query } from '../query.ts';
import { paging } from './workspaces.ts';

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
