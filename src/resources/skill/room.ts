import type { Room } from '#resources/room.ts';
import { skillsOperations } from './operations.ts';

export const skill = {
  operations: skillsOperations,
  folds: () => import('./fold.ts'),
  handlers: () => import('./queries.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
