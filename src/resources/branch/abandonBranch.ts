import type { Command } from '#core/command.ts';
import { load, refuseEndedBranch } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import { placeOfBranch } from './place-of-branch.ts';

/** Abandoning again changes nothing. */
export const abandonBranch: Command<'abandonBranch'> = {
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
