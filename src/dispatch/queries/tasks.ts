import { listPrefix, stateKey } from '../../projections/state-keys.ts';
import { ok } from '../answer.ts';
import { listPage, visibleWorkspaces } from '../list-page.ts';
import { load, loadWorkspace } from '../load.ts';
import type { Query, QueryTools } from '../query.ts';
import { paging } from './workspaces.ts';

export const listTasks: Query<'listTasks'> = async ({ query }, tools) => {
  const prefixes = await taskPrefixes(query, tools);
  return listPage(tools, { prefixes, ...paging(query), keyOf: stateKey.task });
};

export const listSessionTasks: Query<'listSessionTasks'> = ({ path, query }, tools) => {
  const session = load(tools.reader, tools.caller, 'session', path.session_id).resource;
  const prefixes = [listPrefix.tasksOfSession(session.id)];
  return listPage(tools, { prefixes, ...paging(query), keyOf: stateKey.task });
};

export const getTask: Query<'getTask'> = ({ path }, { reader, caller }) =>
  ok(load(reader, caller, 'task', path.task_id).resource, caller);

async function taskPrefixes(
  query: { workspace_id?: string | undefined; session_id?: string | undefined },
  tools: QueryTools,
): Promise<string[]> {
  const { reader, caller } = tools;
  if (query.workspace_id) loadWorkspace(reader, caller, query.workspace_id, 'workspace_id');
  if (query.session_id) {
    const session = load(reader, caller, 'session', query.session_id, 'session_id').resource;
    const fits = query.workspace_id === undefined || query.workspace_id === session.workspace_id;
    return fits ? [listPrefix.tasksOfSession(session.id)] : [];
  }
  const workspaces = query.workspace_id ? [query.workspace_id] : await visibleWorkspaces(tools);
  return workspaces.map(listPrefix.tasksOfWorkspace);
}
