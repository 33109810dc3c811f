import type { Room } from '#resources/room.ts';
import { BACKUP_EVENTS } from './events.ts';
import { backupOperations } from './operations.ts';

export const backup = {
  operations: backupOperations,
  events: BACKUP_EVENTS,
  handlers: () => import('./queries.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
