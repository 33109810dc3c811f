import type { Room } from '#resources/room.ts';
import { BRANCH_EVENTS } from './events.ts';
import { branchesOperations } from './operations.ts';
import { branchKeys } from './state.ts';

export const branch = {
  operations: branchesOperations,
  events: BRANCH_EVENTS,
  states: { branch: branchKeys.branch },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
