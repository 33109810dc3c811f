import type { Room } from '#resources/room.ts';
import { AGENT_WORDS, MESSAGE_EVENTS } from './events.ts';
import { messagesOperations } from './operations.ts';
import { messageKeys } from './state.ts';

export const message = {
  operations: messagesOperations,
  events: { ...AGENT_WORDS, ...MESSAGE_EVENTS },
  states: { message: messageKeys.message },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
