import type { Answer } from '#gateway.ts';
import { type IdList, type ListRequest, listPage, paging, visibleWorkspaces } from './list-page.ts';
import { load, loadWorkspace, type ResourceName } from './load.ts';
import { ok, type QueryTools } from './query.ts';

/** What a collection is read by: its lists by what they belong to, and how a member is shown. */
export interface Collection extends Pick<ListRequest, 'keyOf' | 'shape'> {
  ofTenant?(tenant: string): IdList;
  ofWorkspace?(id: string): IdList;
  ofSession?(id: string): IdList;
  ofTask?(id: string): IdList;
}

/** Filters of a list; each names something that the caller has to see. */
interface Filters {
  workspace_id?: string | undefined;
  session_id?: string | undefined;
  task_id?: string | undefined;
}

type ListQuery = Filters & Parameters<typeof paging>[0];

/** The query that reads one resource by its id in the path. */
export function getOf<Param extends string>(object: ResourceName, param: Param) {
  return ({ path }: { path: Record<Param, string> }, { reader, caller }: QueryTools): Answer =>
    ok(load(reader, caller, object, path[param]).resource, caller);
}

/** The query that lists a collection by its filters, newest first. */
export function listOf(collection: Collection) {
  return ({ query }: { query: ListQuery }, tools: QueryTools): Promise<Answer> =>
    listCollection(collection, query, tools);
}

export async function listCollection(
  collection: Collection,
  query: ListQuery,
  tools: QueryTools,
): Promise<Answer> {
  const { keyOf, shape } = collection;
  const lists = await listsOf(collection, query, tools);
  return listPage(tools, { lists, ...paging(query), keyOf, ...(shape === undefined ? {} : { shape }) });
}

/**
 * The lists that a query asks for: that of the narrowest thing it names; without a filter, those of the tenant and of all
 * workspaces that the caller sees. None where the filters contradict each other. Throws `resource_not_found` naming the filter.
 */
export async function listsOf(
  { ofTenant, ofWorkspace, ofSession, ofTask }: Omit<Collection, 'keyOf'>,
  filters: Filters,
  tools: QueryTools,
): Promise<IdList[]> {
  const { workspace, session, task } = named(filters, tools);
  const narrowest = task ?? session;
  const isContradiction =
    (workspace && narrowest && narrowest.workspace_id !== workspace.id) ||
    (task && session && task.session_id !== session.id);
  if (isContradiction) return [];
  if (task && ofTask) return [ofTask(task.id)];
  if (session && ofSession) return [ofSession(session.id)];
  if (workspace && ofWorkspace) return [ofWorkspace(workspace.id)];
  return [
    ...(ofTenant ? [ofTenant(tools.caller.tenant)] : []),
    ...(ofWorkspace ? (await visibleWorkspaces(tools)).map((id) => ofWorkspace(id)) : []),
  ];
}

function named({ workspace_id, session_id, task_id }: Filters, { reader, caller }: QueryTools) {
  return {
    workspace: workspace_id
      ? loadWorkspace(reader, caller, workspace_id, 'workspace_id').resource
      : undefined,
    task: task_id ? load(reader, caller, 'task', task_id, 'task_id').resource : undefined,
    session: session_id ? load(reader, caller, 'session', session_id, 'session_id').resource : undefined,
  };
}
