import type { Room } from '#resources/room.ts';
import { RUNTIME_EVENTS } from './events.ts';
import { runtimeOperations } from './operations.ts';

export const runtime = {
  operations: runtimeOperations,
  events: RUNTIME_EVENTS,
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
