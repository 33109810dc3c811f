import type { Room } from '#resources/room.ts';
import { POLICY_EVENTS } from './events.ts';
import { policyOperations } from './operations.ts';

export const policy = {
  operations: policyOperations,
  events: POLICY_EVENTS,
  handlers: () => import('./queries.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
