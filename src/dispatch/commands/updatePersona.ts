import { type CleanObject, word } from '../../protocol/clean.ts';
import type { Command } from '../command.ts';
import { revisePersona } from '../define-persona.ts';
import { load } from '../load.ts';
import { refuseUnknownQuota } from '../quota-usage.ts';
import { patchedMetadata } from '../refuse-large-members.ts';

export const updatePersona: Command<'updatePersona'> = {
  decide({ path, body }, tx, facts) {
    const state = load(tx, facts.caller, 'persona', path.persona_id);
    const { description, receipt_policy, quota_id, metadata } = body;
    refuseUnknownQuota(tx, facts, quota_id);
    const changes: CleanObject = {
      ...(description === undefined ? {} : { description }),
      ...(receipt_policy === undefined ? {} : { receipt_policy: word(receipt_policy) }),
      ...(quota_id === undefined ? {} : { quota_id }),
      ...(metadata === undefined
        ? {}
        : { metadata: patchedMetadata(state.resource.metadata, metadata, facts.limits) }),
    };
    if (Object.keys(changes).length > 0) revisePersona(tx, facts, state, changes);
    return { body: load(tx, facts.caller, 'persona', path.persona_id).resource };
  },
};
