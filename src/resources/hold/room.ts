import type { Room } from '#resources/room.ts';
import { HOLD_EVENTS } from './events.ts';
import { holdsOperations } from './operations.ts';
import { holdKeys } from './state.ts';

export const hold = {
  operations: holdsOperations,
  events: HOLD_EVENTS,
  states: { hold: holdKeys.hold },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
