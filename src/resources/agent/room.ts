import type { Room } from '#resources/room.ts';
import { agentListing } from './listing.ts';
import { agentsOperations } from './operations.ts';

export const agent = {
  operations: agentsOperations,
  handlers: () => import('./queries.ts'),
  listing: agentListing,
  examples: () => import('./example.ts'),
} satisfies Room;
