import type { Room } from '#resources/room.ts';
import { HALT_EVENTS } from './events.ts';
import { haltsOperations } from './operations.ts';

export const halt = {
  operations: haltsOperations,
  events: HALT_EVENTS,
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
