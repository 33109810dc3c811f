import type { Room } from '#resources/room.ts';
import { PERMISSION_RULE_EVENTS } from './events.ts';
import { permissionRulesOperations } from './operations.ts';

export const permissionRule = {
  operations: permissionRulesOperations,
  events: PERMISSION_RULE_EVENTS,
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
