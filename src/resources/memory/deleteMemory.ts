import type { Command } from '#core/command.ts';
import { loadMemory } from '#core/load.ts';
import { forgetMemory } from './content.ts';

export const deleteMemory: Command<'deleteMemory'> = {
  decide({ path }, tx, facts) {
    forgetMemory(tx, loadMemory(tx, facts.caller, path.memory_id, tx.time), 'deleted');
    return { body: {} };
  },
};
