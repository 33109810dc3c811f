import { idKey, idList } from '#resources/states.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const pushKeys = {
  /** By task. */
  pushTargets: idKey('x/push/'),
  deadLetter: idKey('r/dead_letter/'),
  /** Tasks of which something is still to be delivered. */
  pushingTasks: 'l/push/task/',
  deadLetters: idList('l/dead-letter/w/'),
  retryingLetters: 'l/dead-letter/retrying/',
} as const;
