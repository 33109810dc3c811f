import type { Room } from '#resources/room.ts';
import { APPROVAL_EVENTS, PERMISSION_EVENTS } from './events.ts';
import { permissionRequestsOperations } from './operations.ts';
import { permissionKeys } from './state.ts';

export const permission = {
  operations: permissionRequestsOperations,
  events: { ...APPROVAL_EVENTS, ...PERMISSION_EVENTS },
  states: { permission_request: permissionKeys.permissionRequest },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
