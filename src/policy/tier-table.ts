import {
  AUTONOMY_TIERS,
  type AutonomyTier,
  SIDE_EFFECT_CLASSES,
  type SideEffectClass,
  TIER_TABLE,
  type TierAction,
} from '#protocol/autonomy.ts';
import { own } from '#protocol/clean.ts';
import type { Decision, Effect } from './decision.ts';

/** Cells that an operator sets; `shadow` has none, it never calls. */
export type TierOverrides = Readonly<
  Partial<
    Record<
      Exclude<AutonomyTier, 'shadow'>,
      Readonly<Partial<Record<SideEffectClass, 'call' | 'ask' | undefined>>>
    >
  >
>;

export type TierDecisions = Readonly<Record<AutonomyTier, Readonly<Record<SideEffectClass, Decision>>>>;

/** The decision of every cell, an operator's cells first. */
export function tierDecisions(overrides: TierOverrides = {}): TierDecisions {
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
