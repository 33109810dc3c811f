import type { Room } from '#resources/room.ts';
import { outcomesOperations } from './operations.ts';

export const outcome = {
  operations: outcomesOperations,
  handlers: () => import('./queries.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
