import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { type BranchState, branchKeys } from './state.ts';

export const folds: Folds = {
  'branch.created': [foldBranchCreated],
  'branch.merged': [foldBranchMerged],
  'branch.abandoned': [foldBranchAbandoned],
};

function foldBranchCreated(event: Event, states: StateWriter): void {
  const { branch } = payload(event, 'branch.created');
  states.set(branchKeys.branch(branch.id), {
    resource: branch,
    internal: { state: 'open' },
  } satisfies BranchState);
  if (branch.session_id) states.index(branchKeys.branchesOfSession(branch.session_id) + branch.id);
}

function foldBranchMerged(event: Event, states: StateWriter): void {
  const { merged_into, metadata } = payload(event, 'branch.merged');
  end(event, states, 'merged', { merged_into, metadata });
}

function foldBranchAbandoned(event: Event, states: StateWriter): void {
  const { reason } = payload(event, 'branch.abandoned');
  end(event, states, 'abandoned', { metadata: { abandoned: true, ...(reason === null ? {} : { reason }) } });
}

function end(
  event: Event,
  states: StateWriter,
  state: 'merged' | 'abandoned',
  changes: { merged_into?: string | null; metadata: BranchState['resource']['metadata'] },
): void {
  const key = branchKeys.branch(event.resource.id);
  const branch = states.get<BranchState>(key)?.resource;
  if (!branch) return;
  const metadata = { ...branch.metadata, ...changes.metadata };
  const resource = { ...branch, ...changes, metadata, updated_at: event.created_at };
  states.set(key, { resource, internal: { state } } satisfies BranchState);
}
