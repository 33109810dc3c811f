import type { Room } from '#resources/room.ts';
import { runtimeOperations } from './operations.ts';

export const runtime = {
  operations: runtimeOperations,
  handlers: () => import('./queries.ts'),
} satisfies Room;
