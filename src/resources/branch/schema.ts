import { z } from 'zod';
import { envelope, givenId, metadata } from '#protocol/envelope.ts';

const BRANCH_KINDS = ['workspace', 'session', 'task', 'sandbox'] as const;

/** Source: Agents Protocol v1, "Branch". */
export const branch = envelope('branch', {
  workspace_id: z.string(),
  kind: z.enum(BRANCH_KINDS),
  base_ref: z.string(),
  parent_branch_id: z.string().nullable(),
  session_id: z.string().nullable(),
  task_id: z.string().nullable(),
  worktree_uri: z.string().nullable(),
  created_by: z.string().nullable(),
  merged_into: z.string().nullable(),
}).meta({ id: 'Branch' });
export type Branch = z.infer<typeof branch>;

export const createBranchRequest = z
  .object({
    kind: z.enum(BRANCH_KINDS),
    base_ref: z.string().min(1).max(1024),
    parent_branch_id: givenId.nullable().optional(),
    task_id: givenId.nullable().optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreateBranchRequest' });
export type CreateBranchRequest = z.infer<typeof createBranchRequest>;

/** Vendor route: `into` names a branch of the same workspace, or is left out for the main path. */
export const mergeBranchRequest = z
  .object({ into: givenId.nullable().optional(), metadata: metadata.optional() })
  .meta({ id: 'MergeBranchRequest' });

export const abandonBranchRequest = z
  .object({ reason: z.string().max(2000).nullable().optional() })
  .meta({ id: 'AbandonBranchRequest' });
