import type { Room } from '#resources/room.ts';
import { SESSION_EVENTS } from './events.ts';
import { sessionsOperations } from './operations.ts';
import { sessionKeys } from './state.ts';
import { TRANSCRIPT_EVENTS } from './transcript/schema.ts';

export const session = {
  operations: sessionsOperations,
  events: { ...SESSION_EVENTS, ...TRANSCRIPT_EVENTS },
  states: { session: sessionKeys.session },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
