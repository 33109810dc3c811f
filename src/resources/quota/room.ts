import type { Room } from '#resources/room.ts';
import { quotasOperations } from './operations.ts';

export const quota = {
  operations: quotasOperations,
  handlers: () => import('./queries.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
