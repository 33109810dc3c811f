import type { Command, Handlers } from '#core/command.ts';
import { metadataOf } from '#core/decode-input.ts';
import type { Facts } from '#core/facts.ts';
import { load, loadBranch, notFound, refuseEndedBranch } from '#core/load.ts';
import { newEvent, type Place, placeOfSession } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import type { Clean, CleanText } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { refuseClosed } from '#resources/session/session-lane.ts';
import { getBranch, listSessionBranches } from './queries.ts';
import type { Branch } from './schema.ts';
import { branchKeys, type CleanBranchState } from './state.ts';

const createSessionBranch: Command<'createSessionBranch'> = {
  decide({ path, body }, tx, facts) {
    const session = load(tx, facts.caller, 'session', path.session_id).resource;
    refuseClosed(session, tx.time);
    const { kind, base_ref, parent_branch_id, task_id } = body;
    if (parent_branch_id)
      loadBranch(tx, facts.caller, parent_branch_id, session.workspace_id, 'parent_branch_id');
    if (task_id) {
      const task = load(tx, facts.caller, 'task', task_id, 'task_id').resource;
      if (task.session_id !== session.id) throw notFound('task', 'task_id');
    }
    const draft = {
      kind,
      base_ref,
      metadata: metadataOf(body),
      parent_branch_id: parent_branch_id ?? session.branch_id,
      session_id: session.id,
      task_id: task_id ?? null,
    };
    return { body: createBranch(tx, facts, placeOfSession(session), draft) };
  },
};

/** Merging again into the same branch changes nothing. */
const mergeBranch: Command<'mergeBranch'> = {
  decide({ path, body }, tx, facts) {
    const branch = load(tx, facts.caller, 'branch', path.branch_id);
    const into = body?.into ?? null;
    const { resource, internal } = branch;
    if (internal.state === 'merged' && resource.merged_into === into) return { body: resource };
    refuseEndedBranch(branch);
    if (into === resource.id)
      throw new ProtocolError('invalid_request', 'A branch cannot be merged into itself. Name another one.', {
        param: 'into',
      });
    if (into !== null) loadBranch(tx, facts.caller, into, resource.workspace_id, 'into');
    const payload = { branch_id: resource.id, merged_into: into, metadata: body?.metadata ?? {} };
    tx.append(
      newEvent('branch.merged', { object: 'branch', id: resource.id }, placeOfBranch(resource), payload),
    );
    return { body: load(tx, facts.caller, 'branch', resource.id).resource };
  },
};

/** Abandoning again changes nothing. */
const abandonBranch: Command<'abandonBranch'> = {
  decide({ path, body }, tx, facts) {
    const branch = load(tx, facts.caller, 'branch', path.branch_id);
    const { resource } = branch;
    if (branch.internal.state === 'abandoned') return { body: resource };
    refuseEndedBranch(branch);
    const payload = { branch_id: resource.id, reason: body?.reason ?? null };
    tx.append(
      newEvent('branch.abandoned', { object: 'branch', id: resource.id }, placeOfBranch(resource), payload),
    );
    return { body: load(tx, facts.caller, 'branch', resource.id).resource };
  },
};

type BranchDraft = Clean<
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
  return tx.get<CleanBranchState>(branchKeys.branch(branch.id))?.resource ?? branch;
}

/** The place of what happens to a Branch itself. */
function placeOfBranch({ id, workspace_id, session_id, task_id }: Clean<Branch>): Place {
  return { workspace_id, session_id, task_id, branch_id: id };
}

export const handlers = {
  abandonBranch,
  createSessionBranch,
  mergeBranch,
  getBranch,
  listSessionBranches,
} satisfies Partial<Handlers>;
