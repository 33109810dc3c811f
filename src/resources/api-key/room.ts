import type { Room } from '#resources/room.ts';
import { API_KEY_EVENTS } from './events.ts';
import { apiKeysOperations } from './operations.ts';
import { apiKeyKeys } from './state.ts';

export const apiKey = {
  operations: apiKeysOperations,
  events: API_KEY_EVENTS,
  states: { api_key: apiKeyKeys.apiKey },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
