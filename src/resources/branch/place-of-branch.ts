import type { Place } from '#core/new-event.ts';
import type { Clean } from '#protocol/clean.ts';
import type { Branch } from './schema.ts';

/** The place of what happens to a Branch itself. */
export function placeOfBranch({ id, workspace_id, session_id, task_id }: Clean<Branch>): Place {
  return { workspace_id, session_id, task_id, branch_id: id };
}
