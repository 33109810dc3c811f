import type { Room } from '#resources/room.ts';
import { MEMORY_EVENTS } from './events.ts';
import { memoriesOperations } from './operations.ts';

export const memory = {
  operations: memoriesOperations,
  events: MEMORY_EVENTS,
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
