import type { Room } from '#resources/room.ts';
import { replayOperations } from './operations.ts';
import { REPLAY_PAYLOADS } from './schema.ts';

export const replay = {
  operations: replayOperations,
  events: REPLAY_PAYLOADS,
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
