import type { Facts } from '#core/facts.ts';
import { newEvent, type Place } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import type { Clean, CleanText } from '#protocol/clean.ts';
import type { BranchState } from '#resources/read-states.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { Branch } from './schema.ts';

export type BranchDraft = Clean<
  Pick<Branch, 'kind' | 'base_ref' | 'metadata'> &
    Partial<Pick<Branch, 'parent_branch_id' | 'session_id' | 'task_id'>>
>;

/** Creates a Branch and appends its event; returns it as it is kept, without secrets. */
export function createBranch(
  tx: Transaction,
  facts: Facts,
  place: Place & { workspace_id: CleanText },
  draft: BranchDraft,
): Clean<Branch> {
  const branch: Clean<Branch> = {
    id: facts.newId('branch'),
    object: 'branch',
    created_at: tx.time,
    updated_at: tx.time,
    metadata: draft.metadata,
    workspace_id: place.workspace_id,
    kind: draft.kind,
    base_ref: draft.base_ref,
    parent_branch_id: draft.parent_branch_id ?? null,
    session_id: draft.session_id ?? null,
    task_id: draft.task_id ?? null,
    worktree_uri: null,
    created_by: facts.by.actor,
    merged_into: null,
  };
  const own = { ...place, branch_id: branch.id };
  const pointer = { object: 'branch', id: branch.id };
  tx.append(newEvent('branch.created', pointer, own, { branch }));
  return tx.get<BranchState>(stateKey.branch(branch.id))?.resource ?? branch;
}
