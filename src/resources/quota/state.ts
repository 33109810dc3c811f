import { idKey } from '#resources/states.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const quotaKeys = {
  quotaUsage: idKey('x/quota/'),
} as const;
