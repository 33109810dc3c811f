import type { Room } from '#resources/room.ts';
import { API_KEY_EVENTS } from './events.ts';
import { apiKeysOperations } from './operations.ts';

export const apiKey = {
  operations: apiKeysOperations,
  events: API_KEY_EVENTS,
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
