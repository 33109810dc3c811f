import type { Room } from '#resources/room.ts';
import { CONNECTOR_EVENTS } from './events.ts';
import { connectorListing } from './listing.ts';
import { connectorsOperations } from './operations.ts';

export const connector = {
  operations: connectorsOperations,
  events: CONNECTOR_EVENTS,
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  listing: connectorListing,
  examples: () => import('./example.ts'),
} satisfies Room;
