import { type CleanText, word } from '#protocol/clean.ts';

/** What the policy decides about a call or an action. `withhold`: the Task completes without it. */
export type Effect = 'allow' | 'ask' | 'withhold' | 'refuse';

/** A decision and the rule that made it. Sentences name no resource, so that they can be shown to everybody. */
export interface Decision {
  effect: Effect;
  rule: CleanText;
  /** The rule in one sentence. */
  because: CleanText;
}

/** One step of an ordered policy: a decision ends it, undefined leaves it to the next one. Pure. */
export type Check<Question> = (question: Question) => Decision | undefined;

/** A policy is a table of named checks; the first that decides, decides. */
export type Checks<Question, Name extends string = string> = readonly (readonly [
  name: Name,
  check: Check<Question>,
])[];

/** The decision of the first check that makes one. The last check of a table decides everything that is left. */
export function decideBy<Question>(checks: Checks<Question>, question: Question): Decision {
  for (const [, check] of checks) {
    const decision = check(question);
    if (decision !== undefined) return decision;
  }
  return UNDECIDED;
}

/** One line of an explanation: what a check said; the ones after the deciding one were not asked. */
export interface Explained {
  check: string;
  result: 'passed' | 'decided' | 'not_asked';
}

/** How `decideBy` came to its decision. */
export function explainBy<Question>(
  checks: Checks<Question>,
  question: Question,
): { decision: Decision; checks: Explained[] } {
  let decision: Decision | undefined;
  const explained = checks.map(([check, ask]): Explained => {
    if (decision !== undefined) return { check, result: 'not_asked' };
    decision = ask(question);
    return { check, result: decision === undefined ? 'passed' : 'decided' };
  });
  return { decision: decision ?? UNDECIDED, checks: explained };
}

/** What no rule allows is refused. */
const UNDECIDED: Decision = {
  effect: 'refuse',
  rule: word('policy.undecided'),
  because: word('No rule allows this.'),
};
