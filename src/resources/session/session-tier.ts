import type { Facts } from '#core/facts.ts';
import type { Event, Transaction } from '#eventlog/event-log.ts';
import { isTier, SESSION_TIER, tierWithin } from '#policy/action.ts';
import { AUTONOMY_TIERS } from '#protocol/autonomy.ts';
import type { Clean } from '#protocol/clean.ts';
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

/** Proves that tasks of the Session which name no persona are under another tier from this event on. */
export function proveTierChange(
  tx: Transaction,
  facts: Facts,
  before: Clean<Session>,
  { event, metadata }: { event: Event; metadata: JsonObject },
): void {
  const persona = before.persona_id && tx.get<CleanPersonaState>(personaKeys.persona(before.persona_id));
  const allowed = persona ? persona.resource.autonomy_tier : facts.self.policy.defaultTier;
  const previous = tierWithin(allowed, before.metadata);
  const tier = tierWithin(allowed, metadata);
  if (tier !== previous) recordSessionTierChange(tx, facts, before, { event, previous, tier });
}
