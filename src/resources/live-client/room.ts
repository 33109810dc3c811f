import type { Room } from '#resources/room.ts';
import { LIVE_CLIENT_EVENTS } from './events.ts';
import { liveClientsOperations } from './operations.ts';

export const liveClient = {
  operations: liveClientsOperations,
  events: LIVE_CLIENT_EVENTS,
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
