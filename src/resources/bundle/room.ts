import type { Room } from '#resources/room.ts';
import { BUNDLE_EVENTS } from './events.ts';
import { bundlesOperations } from './operations.ts';

export const bundle = {
  operations: bundlesOperations,
  events: BUNDLE_EVENTS,
  folds: () => import('./fold-imported.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
