import { keysOfAll } from '#core/list-page.ts';
import { ID, isMemberOf, notFound } from '#core/load.ts';
import type { QueryTools } from '#core/query.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import { workspaceKeys } from '#resources/workspace/state.ts';
import { type OutcomeState, outcomeKeys } from './state.ts';

/** Workspaces asked in one go; other work gets its turn in between. */
const PAGE = 200;

/**
 * The Task that an Outcome stands in. An Outcome is kept under its Workspace, in the row that lists it there, so those of the
 * caller's tenant are asked one after the other.
 */
export async function loadOutcome(tools: QueryTools, id: string): Promise<TaskState> {
  const task = await findOutcome(tools, id);
  if (task === undefined) throw notFound('outcome');
  return task;
}

/** Undefined where no Workspace of the caller has it. */
export async function findOutcome(tools: QueryTools, id: string): Promise<TaskState | undefined> {
  if (!ID.test(id)) return undefined;
  const { log, reader, caller } = tools;
  for await (const workspaces of keysOfAll(log, [workspaceKeys.workspaces(caller.tenant)], PAGE))
    for (const workspaceId of workspaces) {
      const known = reader.get<OutcomeState>(outcomeKeys.outcome(workspaceId, id));
      if (known !== undefined && isMemberOf(reader, caller, workspaceId))
        return reader.get<TaskState>(taskKeys.task(known.task_id));
    }
  return undefined;
}
