import type { Handlers } from '#core/handlers.ts';
import { abandonBranch } from './abandonBranch.ts';
import { createSessionBranch } from './createSessionBranch.ts';
import { mergeBranch } from './mergeBranch.ts';
import { getBranch, listSessionBranches } from './queries.ts';

export const branchHandlers = {
  abandonBranch,
  createSessionBranch,
  mergeBranch,
  getBranch,
  listSessionBranches,
} satisfies Partial<Handlers>;
