import type { Room } from '#resources/room.ts';
import { PERSONA_EVENTS } from './events.ts';
import { personaListing } from './listing.ts';
import { personasOperations } from './operations.ts';
import { personaKeys } from './state.ts';

export const persona = {
  operations: personasOperations,
  events: PERSONA_EVENTS,
  states: { persona: personaKeys.persona },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  listing: personaListing,
  examples: () => import('./example.ts'),
} satisfies Room;
