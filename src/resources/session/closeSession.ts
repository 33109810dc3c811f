import type { Command } from '#core/command.ts';
import { load } from '#core/load.ts';
import { word } from '#protocol/clean.ts';
import { closeSessionNow } from './close-session.ts';

export const closeSession: Command<'closeSession'> = {
  decide({ path }, tx, facts) {
    const session = load(tx, facts.caller, 'session', path.session_id).resource;
    closeSessionNow(tx, facts, session, word('closed_by_caller'));
    return { body: load(tx, facts.caller, 'session', path.session_id).resource };
  },
};
