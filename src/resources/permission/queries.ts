import { type Collection, listCollection } from '#core/collection.ts';
import { listPage, paging } from '#core/list-page.ts';
import { load } from '#core/load.ts';
import type { Query, QueryTools } from '#core/query.ts';
import { isRemembered } from './remembered-permission.ts';
import type { PermissionRequest } from './schema.ts';
import { type PermissionRequestState, permissionKeys } from './state.ts';

const REQUESTS: Collection = {
  keyOf: permissionKeys.permissionRequest,
  ofWorkspace: permissionKeys.requestsOfWorkspace,
  ofSession: permissionKeys.requestsOfSession,
  ofTask: permissionKeys.requestsOfTask,
};
const REMEMBERED: Collection = {
  ...REQUESTS,
  ofWorkspace: permissionKeys.rememberedInWorkspace,
  shape: ifRemembered,
};

export const listPermissionRequests: Query<'listPermissionRequests'> = ({ query }, tools) =>
  listCollection(inState(query.remembered ? REMEMBERED : REQUESTS, query.status), query, tools);

function inState(collection: Collection, status: PermissionRequest['status'] | undefined): Collection {
  if (status === undefined) return collection;
  const shape = collection.shape ?? ((state: object) => (state as PermissionRequestState).resource);
  return {
    ...collection,
    shape: (state, tools) => {
      const { resource } = state as PermissionRequestState;
      return resource.status === status ? shape(state, tools) : undefined;
    },
  };
}

export const listTaskPermissionRequests: Query<'listTaskPermissionRequests'> = ({ path, query }, tools) => {
  const task = load(tools.reader, tools.caller, 'task', path.task_id).resource;
  const lists = [permissionKeys.requestsOfTask(task.id)];
  return listPage(tools, { lists, ...paging(query), keyOf: permissionKeys.permissionRequest });
};

function ifRemembered(state: object, { reader }: QueryTools): PermissionRequest | undefined {
  const { resource } = state as PermissionRequestState;
  return isRemembered(reader, resource) ? resource : undefined;
}
