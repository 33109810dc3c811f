import type { Room } from '#resources/room.ts';
import { TRUST_EVENTS } from './events.ts';
import { trustRecordsOperations } from './operations.ts';

export const trust = {
  operations: trustRecordsOperations,
  events: TRUST_EVENTS,
  folds: () => import('./fold.ts'),
  handlers: () => import('./queries.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
