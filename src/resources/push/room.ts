import type { Room } from '#resources/room.ts';
import { PUSH_EVENTS } from './events.ts';
import { deadLettersOperations, pushConfigsOperations } from './operations.ts';

export const push = {
  operations: { ...pushConfigsOperations, ...deadLettersOperations },
  events: PUSH_EVENTS,
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
