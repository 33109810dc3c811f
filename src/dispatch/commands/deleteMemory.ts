import type { Command } from '../command.ts';
import { loadMemory } from '../load.ts';
import { forgetMemory } from '../memory-content.ts';

export const deleteMemory: Command<'deleteMemory'> = {
  decide({ path }, tx, facts) {
    forgetMemory(tx, loadMemory(tx, facts.caller, path.memory_id, tx.time), 'deleted');
    return { body: {} };
  },
};
