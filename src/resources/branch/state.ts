import type { Clean } from '#protocol/clean.ts';
import { type Folded, idKey, idList } from '#resources/states.ts';
import type { Branch } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const branchKeys = {
  branch: idKey<CleanBranchState>('r/branch/'),
  branchesOfSession: idList('l/branch/s/'),
} as const;

export type BranchState = Folded<Branch, { state: 'open' | 'merged' | 'abandoned' }>;

/** As they are read: what was folded of clean events is clean. */
export type CleanBranchState = Clean<BranchState>;
