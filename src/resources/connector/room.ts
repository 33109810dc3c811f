import type { Room } from '#resources/room.ts';
import { CONNECTOR_EVENTS } from './events.ts';
import { connectorsOperations } from './operations.ts';

export const connector = {
  operations: connectorsOperations,
  events: CONNECTOR_EVENTS,
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
