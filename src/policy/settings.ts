import type { AutonomyTier } from '../protocol/autonomy.ts';
import { type TierDecisions, type TierOverrides, tierDecisions } from './tier-table.ts';

/** The section `policy` of the configuration, as far as the core reads it. */
export interface PolicyOptions {
  default_tier: AutonomyTier;
  tiers: TierOverrides;
  undeclared: 'call' | 'ask';
}

/** The same with every cell of the tier table decided. */
export interface PolicySettings {
  /** Of tasks that name no persona. */
  defaultTier: AutonomyTier;
  tiers: TierDecisions;
  /** Whether a tool of a trusted server that says nothing of itself is called where `destructive` ones are asked for. */
  callsUndeclared: boolean;
}

export function policySettings({ default_tier, tiers, undeclared }: PolicyOptions): PolicySettings {
  return {
    defaultTier: default_tier,
    tiers: tierDecisions(tiers),
    callsUndeclared: undeclared === 'call',
  };
}
