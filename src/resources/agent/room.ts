import type { Room } from '#resources/room.ts';
import { agentsOperations } from './operations.ts';

export const agent = {
  operations: agentsOperations,
  handlers: () => import('./queries.ts'),
} satisfies Room;
