import type { Room } from '#resources/room.ts';
import { ARTIFACT_EVENTS } from './events.ts';
import { artifactListing } from './listing.ts';
import { artifactsOperations } from './operations.ts';
import { artifactKeys } from './state.ts';

export const artifact = {
  operations: artifactsOperations,
  events: ARTIFACT_EVENTS,
  states: { artifact: artifactKeys.artifact },
  copies: { artifact: artifactKeys.asset },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  listing: artifactListing,
  examples: () => import('./example.ts'),
} satisfies Room;
