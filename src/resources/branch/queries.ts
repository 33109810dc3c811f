import { getOf } from '#core/collection.ts';
import { listPage, paging } from '#core/list-page.ts';
import { load } from '#core/load.ts';
import type { Query } from '#core/query.ts';
import { branchKeys } from './state.ts';

export const listSessionBranches: Query<'listSessionBranches'> = ({ path, query }, tools) => {
  const session = load(tools.reader, tools.caller, 'session', path.session_id).resource;
  const lists = [branchKeys.branchesOfSession(session.id)];
  return listPage(tools, { lists, ...paging(query), keyOf: branchKeys.branch });
};

export const getBranch = getOf('branch', 'branch_id');
