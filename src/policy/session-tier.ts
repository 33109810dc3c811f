import { AUTONOMY_TIERS, type AutonomyTier } from '#protocol/autonomy.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** Member of the metadata of a Session: the most that its tasks may do by themselves; null or absent limits nothing. */
export const SESSION_TIER = 'autonomy_tier';

export function isTier(word: JsonValue | undefined): word is AutonomyTier {
  return AUTONOMY_TIERS.includes(word as AutonomyTier);
}

/**
 * The tier of a task: what its persona or the operator allows, or less where its Session asks for less. A Session can lower it,
 * never raise it: only the persona or the configuration can.
 */
export function tierWithin(allowed: AutonomyTier, session: JsonObject): AutonomyTier {
  const asked = session[SESSION_TIER];
  if (!isTier(asked)) return allowed;
  return AUTONOMY_TIERS.indexOf(asked) < AUTONOMY_TIERS.indexOf(allowed) ? asked : allowed;
}
