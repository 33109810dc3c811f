import type { Command, Handlers } from '#core/command.ts';
import { patchedMetadata } from '#core/decode-input.ts';
import { load } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { type Clean, type CleanObject, type CleanText, word } from '#protocol/clean.ts';
import { refuseUnknownQuota } from '#resources/quota/quota-usage.ts';
import { recordTierChange, type TrustTools } from '#resources/trust/record-trust.ts';
import { getPersona, listPersonas } from './queries.ts';
import type { Persona, PersonaDefinition } from './schema.ts';
import type { CleanPersonaState } from './state.ts';

const createPersona: Command<'createPersona'> = {
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

const updatePersona: Command<'updatePersona'> = {
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

/** Where a definition comes from: the tenant it is for, and the hash of its file when it has one. */
interface PersonaOrigin {
  tenant: CleanText;
  fileHash: CleanText | null;
}

export function createPersonaOf(
  tx: Transaction,
  id: CleanText,
  definition: Clean<PersonaDefinition>,
  { tenant, fileHash }: PersonaOrigin,
): void {
  const persona: Clean<Persona> = {
    id,
    object: 'persona',
    created_at: tx.time,
    updated_at: tx.time,
    ...definition,
  };
  const payload = { persona, tenant, revision: 1, file_hash: fileHash };
  const pointer = { object: 'persona', id };
  tx.append(newEvent('vendor.harn_gateway.persona_created', pointer, { tenant_id: tenant }, payload));
}

/** The next revision of a Persona; tasks that already run go on as they were accepted. */
export function revisePersona(
  tx: Transaction,
  tools: TrustTools,
  state: CleanPersonaState,
  changes: CleanObject,
  tier = state.resource.autonomy_tier,
  fileHash = state.internal.file_hash,
): void {
  const { resource, internal } = state;
  const payload = { changes, revision: internal.revision + 1, file_hash: fileHash };
  const pointer = { object: 'persona', id: resource.id };
  const place = { tenant_id: internal.tenant };
  const event = tx.append(newEvent('vendor.harn_gateway.persona_updated', pointer, place, payload));
  recordTierChange(tx, tools, state, { event, tier });
}

export const handlers = {
  createPersona,
  updatePersona,
  getPersona,
  listPersonas,
} satisfies Partial<Handlers>;
