import type { Room } from '#resources/room.ts';
import { PERSONA_EVENTS } from './events.ts';
import { personasOperations } from './operations.ts';

export const persona = {
  operations: personasOperations,
  events: PERSONA_EVENTS,
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
