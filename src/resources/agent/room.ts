import type { Room } from '#resources/room.ts';
import { agentsOperations } from './operations.ts';

export const agent = {
  operations: agentsOperations,
  handlers: () => import('./queries.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
