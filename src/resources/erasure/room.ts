import type { Room } from '#resources/room.ts';
import { ERASURE_EVENTS } from './events.ts';
import { erasuresListing } from './listing.ts';
import { erasuresOperations } from './operations.ts';
import { erasureKeys } from './state.ts';

export const erasure = {
  operations: erasuresOperations,
  events: ERASURE_EVENTS,
  states: { erasure: erasureKeys.erasure },
  listing: erasuresListing,
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
