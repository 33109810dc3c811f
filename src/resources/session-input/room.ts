import type { Room } from '#resources/room.ts';
import { sessionInputsOperations } from './operations.ts';

export const sessionInput = {
  operations: sessionInputsOperations,
  handlers: () => import('./queries.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
