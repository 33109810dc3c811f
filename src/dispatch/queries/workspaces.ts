import { isMember } from '../../policy/membership.ts';
import { listPrefix, stateKey } from '../../projections/state-keys.ts';
import type { WorkspaceState } from '../../projections/states.ts';
import { ok, page } from '../answer.ts';
import { listPage, visibleWorkspaces } from '../list-page.ts';
import { loadWorkspace } from '../load.ts';
import type { Query } from '../query.ts';

export const listWorkspaces: Query<'listWorkspaces'> = async ({ query }, tools) => {
  if (tools.caller.workspaces.includes('*')) {
    const prefixes = [listPrefix.workspaces(tools.caller.tenant)];
    return listPage(tools, { prefixes, ...paging(query), keyOf: stateKey.workspace });
  }
  // A member of a few workspaces gets them all on one page: memberships are short lists by configuration.
  const ids = await visibleWorkspaces(tools);
  const states = ids.map((id) => tools.reader.get<WorkspaceState>(stateKey.workspace(id)));
  const visible = states.filter((state) => isMember(tools.caller, state));
  return page(
    visible.map((state) => state.resource),
    null,
    tools.caller,
  );
};

export const getWorkspace: Query<'getWorkspace'> = ({ path }, { reader, caller }) =>
  ok(loadWorkspace(reader, caller, path.workspace_id).resource, caller);

export function paging(query: { limit: number; cursor?: string | undefined }) {
  return { limit: query.limit, cursor: query.cursor };
}
