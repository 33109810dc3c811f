import { ok } from '#core/answer.ts';
import { listAmong, listPage, paging, visibleWorkspaces } from '#core/list-page.ts';
import { loadWorkspace } from '#core/load.ts';
import type { Query } from '#core/query.ts';
import { listPrefix, stateKey } from '#resources/state-keys.ts';

export const listWorkspaces: Query<'listWorkspaces'> = async ({ query }, tools) => {
  const request = { ...paging(query), keyOf: stateKey.workspace };
  if (tools.caller.workspaces.includes('*')) {
    return listPage(tools, { ...request, lists: [listPrefix.workspaces(tools.caller.tenant)] });
  }
  return listAmong(tools, await visibleWorkspaces(tools), request);
};

export const getWorkspace: Query<'getWorkspace'> = ({ path }, { reader, caller }) =>
  ok(loadWorkspace(reader, caller, path.workspace_id).resource, caller);
