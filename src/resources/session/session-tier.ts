import type { Facts, SelfFacts } from '#core/facts.ts';
import type { Event, StateReader, Transaction } from '#eventlog/event-log.ts';
import { isTier, SESSION_TIER, tierWithin } from '#policy/action.ts';
import { AUTONOMY_TIERS, type AutonomyTier, type SessionMode, TIER_OF_MODE } from '#protocol/autonomy.ts';
import { type Clean, type CleanObject, word } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { type CleanPersonaState, personaKeys } from '#resources/persona/state.ts';
import { recordSessionTierChange } from '#resources/trust/record-trust.ts';
import type { Session } from './schema.ts';

/** Throws 400 for an autonomy tier that there is none of; null takes the tier of the Session away. */
export function refuseUnknownTier(metadata: JsonObject): void {
  const asked = metadata[SESSION_TIER];
  if (asked === undefined || asked === null || isTier(asked)) return;
  const param = `metadata.${SESSION_TIER}`;
  const message = `${param} is no autonomy tier. Use ${AUTONOMY_TIERS.join(', ')}, or null for none of its own.`;
  throw new ProtocolError('invalid_request', message, { param });
}

/** The tier of the next task of a Session that names no persona of its own. */
export function tierOfSession(
  reader: StateReader,
  self: Pick<SelfFacts, 'policy'>,
  { persona_id, metadata }: Pick<Session, 'persona_id' | 'metadata'>,
): AutonomyTier {
  const persona = persona_id && reader.get<CleanPersonaState>(personaKeys.persona(persona_id));
  return tierWithin(persona ? persona.resource.autonomy_tier : self.policy.defaultTier, metadata);
}

/**
 * The metadata of a new Session with the tier that its mode stands for; null and absent ask for none. Throws 400 where both are
 * given and differ.
 */
export function withMode(metadata: CleanObject, mode: SessionMode | null | undefined): CleanObject {
  if (mode === undefined || mode === null) return metadata;
  const asked = metadata[SESSION_TIER];
  const tier = TIER_OF_MODE[mode];
  if (asked === undefined || asked === null || asked === tier)
    return { ...metadata, [SESSION_TIER]: word(tier) };
  const message = `mode_id ${mode} is metadata.${SESSION_TIER} ${tier}, and both are given. Leave one of them out.`;
  throw new ProtocolError('invalid_request', message, { param: 'mode_id' });
}

/** What a change of the metadata is with that of the mode: null takes the tier of the Session away. Throws as `withMode` does. */
export function patchWithMode(
  metadata: CleanObject | undefined,
  mode: SessionMode | null | undefined,
): CleanObject | undefined {
  if (mode === undefined) return metadata;
  return mode === null ? { ...metadata, [SESSION_TIER]: null } : withMode(metadata ?? {}, mode);
}

/** Proves that tasks of the Session which name no persona are under another tier from this event on. */
export function proveTierChange(
  tx: Transaction,
  facts: Facts,
  before: Clean<Session>,
  { event, metadata }: { event: Event; metadata: JsonObject },
): void {
  const previous = tierOfSession(tx, facts.self, before);
  const tier = tierOfSession(tx, facts.self, { ...before, metadata });
  if (tier !== previous) recordSessionTierChange(tx, facts, before, { event, previous, tier });
}
