import { newEvent } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import type { Clean, CleanObject, CleanText } from '#protocol/clean.ts';
import type { PersonaState } from '#resources/read-states.ts';
import { recordTierChange, type TrustTools } from '#resources/trust/record-trust.ts';
import type { Persona, PersonaDefinition } from './schema.ts';

/** Where a definition comes from: the tenant it is for, and the hash of its file when it has one. */
export interface PersonaOrigin {
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
  state: PersonaState,
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
