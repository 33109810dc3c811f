import type { Handlers } from '#core/handlers.ts';
import { forgetPermission } from './forgetPermission.ts';
import { listPermissionRequests, listTaskPermissionRequests } from './queries.ts';
import { respondPermissionRequest } from './respondPermissionRequest.ts';

export const permissionHandlers = {
  forgetPermission,
  respondPermissionRequest,
  listPermissionRequests,
  listTaskPermissionRequests,
} satisfies Partial<Handlers>;
