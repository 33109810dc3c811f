import type { Room } from '#resources/room.ts';
import { MEMORY_EVENTS } from './events.ts';
import { memoriesOperations } from './operations.ts';
import { memoryKeys } from './state.ts';

export const memory = {
  operations: memoriesOperations,
  events: MEMORY_EVENTS,
  states: { memory: memoryKeys.memory },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
