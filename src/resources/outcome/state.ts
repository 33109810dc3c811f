import { idList, pairKey } from '#resources/states.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const outcomeKeys = {
  /** By workspace: no event has an Outcome as its resource. */
  outcome: pairKey('x/outcome/'),
  /** States, not markers: a row for each Outcome that serves the list as well. */
  outcomesOfWorkspace: idList('x/outcome/'),
} as const;

/** Where an Outcome stands: in its Task. */
export interface OutcomeState {
  task_id: string;
}
