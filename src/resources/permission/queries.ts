import { listPage, paging, visibleWorkspaces } from '#core/list-page.ts';
import { load } from '#core/load.ts';
import type { Query, QueryTools } from '#core/query.ts';
import { isRemembered } from './remembered-permission.ts';
import type { PermissionRequest } from './schema.ts';
import { type PermissionRequestState, permissionKeys } from './state.ts';

export const listPermissionRequests: Query<'listPermissionRequests'> = async ({ query }, tools) => {
  const lists = await requestPrefixes(query, tools);
  const shape = query.remembered ? { shape: ifRemembered } : {};
  return listPage(tools, { lists, ...paging(query), keyOf: permissionKeys.permissionRequest, ...shape });
};

export const listTaskPermissionRequests: Query<'listTaskPermissionRequests'> = ({ path, query }, tools) => {
  const task = load(tools.reader, tools.caller, 'task', path.task_id).resource;
  const lists = [permissionKeys.requestsOfTask(task.id)];
  return listPage(tools, { lists, ...paging(query), keyOf: permissionKeys.permissionRequest });
};

async function requestPrefixes(
  query: { session_id?: string | undefined; task_id?: string | undefined; remembered?: 'true' | undefined },
  tools: QueryTools,
): Promise<string[]> {
  const { reader, caller } = tools;
  const task = query.task_id ? load(reader, caller, 'task', query.task_id, 'task_id').resource : undefined;
  const session = query.session_id
    ? load(reader, caller, 'session', query.session_id, 'session_id').resource
    : undefined;
  if (task && session && task.session_id !== session.id) return [];
  const { requestsOfWorkspace, rememberedInWorkspace } = permissionKeys;
  if (task) return [permissionKeys.requestsOfTask(task.id)];
  if (session) return [permissionKeys.requestsOfSession(session.id)];
  return (await visibleWorkspaces(tools)).map(query.remembered ? rememberedInWorkspace : requestsOfWorkspace);
}

function ifRemembered(state: object, { reader }: QueryTools): PermissionRequest | undefined {
  const { resource } = state as PermissionRequestState;
  return isRemembered(reader, resource) ? resource : undefined;
}
