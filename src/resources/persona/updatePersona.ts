import type { Command } from '#core/command.ts';
import { load } from '#core/load.ts';
import { patchedMetadata } from '#core/refuse-large-members.ts';
import { type CleanObject, word } from '#protocol/clean.ts';
import { refuseUnknownQuota } from '#resources/quota/quota-usage.ts';
import { revisePersona } from './define-persona.ts';

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
