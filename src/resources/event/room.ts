import type { Room } from '#resources/room.ts';
import { HISTORY_EVENTS } from './events.ts';
import { eventsOperations } from './operations.ts';

export const event = {
  operations: eventsOperations,
  events: HISTORY_EVENTS,
  handlers: () => import('./queries.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
