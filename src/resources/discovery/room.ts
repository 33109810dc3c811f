import type { Room } from '#resources/room.ts';
import { discoveryOperations } from './operations.ts';

export const discovery = {
  operations: discoveryOperations,
  examples: () => import('./example.ts'),
} satisfies Room;
