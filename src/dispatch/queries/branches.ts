import { listPrefix, stateKey } from '../../projections/state-keys.ts';
import { ok } from '../answer.ts';
import { listPage } from '../list-page.ts';
import { load } from '../load.ts';
import type { Query } from '../query.ts';
import { paging } from './workspaces.ts';

export const listSessionBranches: Query<'listSessionBranches'> = ({ path, query }, tools) => {
  const session = load(tools.reader, tools.caller, 'session', path.session_id).resource;
  const lists = [listPrefix.branchesOfSession(session.id)];
  return listPage(tools, { lists, ...paging(query), keyOf: stateKey.branch });
};

export const getBranch: Query<'getBranch'> = ({ path }, { reader, caller }) =>
  ok(load(reader, caller, 'branch', path.branch_id).resource, caller);
