import type { Room } from '#resources/room.ts';
import { WORKSPACE_EVENTS } from './events.ts';
import { workspacesOperations } from './operations.ts';

export const workspace = {
  operations: workspacesOperations,
  events: WORKSPACE_EVENTS,
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
