import type { Command } from '#core/command.ts';
import { newEvent } from '#core/new-event.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { allTargetsOf, loadDeadLetter } from './push-targets.ts';

/** Retrying twice at a time is the same as once. */
export const retryDeadLetter: Command<'retryDeadLetter'> = {
  decide({ path }, tx, facts) {
    const letter = loadDeadLetter(tx, facts.caller, path.dead_letter_id);
    if (letter.status === 'delivered')
      throw new ProtocolError('conflict', 'The delivery has arrived meanwhile.', { param: 'dead_letter_id' });
    const isThere = allTargetsOf(tx, letter.task_id).some(
      ({ resource }) => resource.id === letter.push_config_id,
    );
    if (!isThere)
      throw new ProtocolError('conflict', 'Its push config is gone; there is nowhere to deliver it to.', {
        param: 'dead_letter_id',
      });
    if (letter.status === 'dead') {
      const pointer = { object: 'dead_letter', id: letter.id };
      const place = { workspace_id: letter.workspace_id };
      tx.append(newEvent('vendor.harn_gateway.dead_letter_changed', pointer, place, { status: 'retrying' }));
    }
    tx.afterCommit(() => facts.outbox.retry(letter.id));
    return { body: loadDeadLetter(tx, facts.caller, letter.id) };
  },
};
