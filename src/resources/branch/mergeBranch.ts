import type { Command } from '#core/command.ts';
import { load, loadBranch, refuseEndedBranch } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { placeOfBranch } from './place-of-branch.ts';

/** Merging again into the same branch changes nothing. */
export const mergeBranch: Command<'mergeBranch'> = {
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
