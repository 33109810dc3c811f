import type { AutonomyTier } from '#protocol/autonomy.ts';
import type { RememberScope } from '#resources/permission/schema.ts';
import { type TierDecisions, type TierOverrides, tierDecisions } from './tier-table.ts';

/** The section `policy` of the configuration, as far as the core reads it. */
export interface PolicyOptions {
  default_tier: AutonomyTier;
  tiers: TierOverrides;
  undeclared: 'call' | 'ask';
  remember?: Readonly<Record<Exclude<AutonomyTier, 'shadow'>, RememberScope>>;
}

/** The same with every cell of the tier table decided. */
export interface PolicySettings {
  /** Of tasks that name no persona. */
  defaultTier: AutonomyTier;
  tiers: TierDecisions;
  /** Whether a tool of a trusted server that says nothing of itself is called where `destructive` ones are asked for. */
  callsUndeclared: boolean;
  /** How far an answer for good to an agent's question holds. */
  remember: Readonly<Record<AutonomyTier, RememberScope>>;
}

const NEVER = { shadow: 'never', suggest: 'never', act_with_approval: 'never', act_auto: 'never' } as const;

export function policySettings({ default_tier, tiers, undeclared, remember }: PolicyOptions): PolicySettings {
  return {
    defaultTier: default_tier,
    tiers: tierDecisions(tiers),
    callsUndeclared: undeclared === 'call',
    remember: { ...NEVER, ...remember },
  };
}
