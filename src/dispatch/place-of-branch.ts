import type { Clean } from '../protocol/clean.ts';
import type { Branch } from '../protocol/resources/branch.ts';
import type { Place } from './new-event.ts';

/** The place of what happens to a Branch itself. */
export function placeOfBranch({ id, workspace_id, session_id, task_id }: Clean<Branch>): Place {
  return { workspace_id, session_id, task_id, branch_id: id };
}
