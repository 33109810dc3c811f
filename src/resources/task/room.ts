import type { Room } from '#resources/room.ts';
import { TASK_EVENTS, TOOL_EVENTS } from './events.ts';
import { taskListing } from './listing.ts';
import { tasksOperations } from './operations.ts';
import { taskKeys } from './state.ts';

export const task = {
  operations: tasksOperations,
  events: { ...TASK_EVENTS, ...TOOL_EVENTS },
  states: { task: taskKeys.task },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  listing: taskListing,
  examples: () => import('./example.ts'),
} satisfies Room;
