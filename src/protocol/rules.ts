/**
 * What differs between the rules by which a run becomes events. A mend that changes what recorded frames mean, or which events
 * something becomes, is a member here with a value for each number; whatever is the same under all of them has no member.
 */
export interface Rules {
  /**
   * The answer of an A2A agent to a message that is not streamed: `final`, so that nothing follows a state that is in no table;
   * `current`, so that the task goes on and is asked for again.
   */
  readonly a2aSendAnswer: 'final' | 'current';
  /** Names that the members of an A2A event may have: those of JSON alone, or also those of the protocol file. */
  readonly a2aNames: 'json' | 'both';
  /** How many frames the receipt of a run names one by one; more are one `event_log` material. */
  readonly listedFrames: number;
  /** What that material's hash is: of a chain (src/resources/replay/record/frame-list.ts), or the root of a tree (src/resources/task/task-frames.ts). */
  readonly frameDigest: 'chain' | 'tree';
}

/** By number. What a released number means is never changed: a new meaning is a new number, with a golden in fixtures/replay. */
export const RULES = {
  1: { a2aSendAnswer: 'final', a2aNames: 'json', listedFrames: 500, frameDigest: 'chain' },
  2: { a2aSendAnswer: 'current', a2aNames: 'both', listedFrames: 32, frameDigest: 'tree' },
} as const satisfies Readonly<Record<number, Rules>>;

export type RulesNumber = keyof typeof RULES;

/** What new tasks are accepted under. */
export const CURRENT_RULES = 2 satisfies RulesNumber;

/** Of tasks that were accepted before `task.submitted` carried a number. */
const UNNAMED_RULES = 1 satisfies RulesNumber;

/**
 * The rules of a task, by what its `task.submitted` says. For a number that only a newer gateway knows they are the current
 * ones: ask `knowsRules` first, for such a task neither goes on nor is replayed.
 */
export function rulesOf(number: number = UNNAMED_RULES): Rules {
  const known: Readonly<Record<number, Rules>> = RULES;
  return known[number] ?? RULES[CURRENT_RULES];
}

/** False for a number that a newer gateway gave. */
export function knowsRules(number: number = UNNAMED_RULES): boolean {
  return Object.hasOwn(RULES, number);
}
