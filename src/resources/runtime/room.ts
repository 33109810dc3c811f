import type { Room } from '#resources/room.ts';
import { runtimeOperations } from './operations.ts';

export const runtime = {
  operations: runtimeOperations,
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
