import type { Command } from '#core/command.ts';
import { load } from '#core/load.ts';
import { refuseUnknownQuota } from '#resources/quota/quota-usage.ts';
import { createPersonaOf } from './define-persona.ts';

export const createPersona: Command<'createPersona'> = {
  decide({ body }, tx, facts) {
    refuseUnknownQuota(tx, facts, body.quota_id);
    const { module_ref, ...definition } = body;
    const metadata = { ...definition.metadata, ...(module_ref === undefined ? {} : { module_ref }) };
    const id = facts.newId('persona');
    const origin = { tenant: facts.by.tenant, fileHash: null };
    createPersonaOf(tx, id, { ...definition, metadata }, origin);
    return { body: load(tx, facts.caller, 'persona', id).resource };
  },
};
