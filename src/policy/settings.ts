import {
  AUTONOMY_TIERS,
  type AutonomyTier,
  SIDE_EFFECT_CLASSES,
  type SideEffectClass,
  TIER_TABLE,
  type TierAction,
} from '#protocol/autonomy.ts';
import { own } from '#protocol/clean.ts';
import type { RememberScope } from '#resources/permission/schema.ts';
import type { Decision, Effect } from './decision.ts';

/** The section `policy` of the configuration, as far as the core reads it. */
interface PolicyOptions {
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
  /** What an "always" answer to an agent's question covers. */
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

/** Cells that an operator sets; `shadow` has none, it never calls. */
type TierOverrides = Readonly<
  Partial<
    Record<
      Exclude<AutonomyTier, 'shadow'>,
      Readonly<Partial<Record<SideEffectClass, 'call' | 'ask' | undefined>>>
    >
  >
>;

type TierDecisions = Readonly<Record<AutonomyTier, Readonly<Record<SideEffectClass, Decision>>>>;

/** The decision of every cell, an operator's cells first. */
function tierDecisions(overrides: TierOverrides = {}): TierDecisions {
  const rows = AUTONOMY_TIERS.map((tier) => {
    const own: TierOverrides[keyof TierOverrides] = tier === 'shadow' ? {} : (overrides[tier] ?? {});
    const cells = SIDE_EFFECT_CLASSES.map((word) => [word, cell(tier, word, own[word])]);
    return [tier, Object.fromEntries(cells)];
  });
  return Object.fromEntries(rows) as TierDecisions;
}

const EFFECT_OF_ACTION = { call: 'allow', ask: 'ask', withhold: 'withhold' } as const satisfies Record<
  TierAction,
  Effect
>;

const WORDS_OF_ACTION = {
  call: 'goes on by itself',
  ask: 'waits for a permission',
  withhold: 'is not done: the task completes and says what it would have done',
} as const satisfies Record<TierAction, string>;

function cell(tier: AutonomyTier, word: SideEffectClass, given: TierAction | undefined): Decision {
  const action = given ?? TIER_TABLE[tier][word];
  const what = word === 'delegate' ? 'a whole run of an agent' : `a tool of class ${word}`;
  const by = given === undefined || given === TIER_TABLE[tier][word] ? '' : ' by the configuration';
  const because = `Under ${tier}${by}, ${what} ${WORDS_OF_ACTION[action]}.`;
  return Object.freeze({
    effect: EFFECT_OF_ACTION[action],
    rule: own(`tier.${tier}.${word}`),
    because: own(because),
  });
}
