import type { Handlers } from '#core/handlers.ts';
import { cancelTask } from './cancelTask.ts';
import { getTask, listSessionTasks, listTaskMaterials, listTasks } from './queries.ts';
import { submitSessionTask } from './submitSessionTask.ts';
import { submitTask } from './submitTask.ts';

export const taskHandlers = {
  cancelTask,
  submitSessionTask,
  submitTask,
  getTask,
  listSessionTasks,
  listTaskMaterials,
  listTasks,
} satisfies Partial<Handlers>;
