import { listPrefix, stateKey } from '../../projections/state-keys.ts';
import { ok } from '../answer.ts';
import { listAmong, listPage, visibleWorkspaces } from '../list-page.ts';
import { loadWorkspace } from '../load.ts';
import type { Query } from '../query.ts';

export const listWorkspaces: Query<'listWorkspaces'> = async ({ query }, tools) => {
  const request = { ...paging(query), keyOf: stateKey.workspace };
  if (tools.caller.workspaces.includes('*')) {
    return listPage(tools, { ...request, lists: [listPrefix.workspaces(tools.caller.tenant)] });
  }
  return listAmong(tools, await visibleWorkspaces(tools), request);
};

export const getWorkspace: Query<'getWorkspace'> = ({ path }, { reader, caller }) =>
  ok(loadWorkspace(reader, caller, path.workspace_id).resource, caller);

export function paging(query: { limit: number; cursor?: string | undefined }) {
  return { limit: query.limit, cursor: query.cursor };
}
