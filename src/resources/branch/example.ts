import { resource, whole } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Branch: resource('branch', 'branch_01KAHG6A16X2A4S6D8F0H2K4N6', {
    ...whole,
    kind: 'session',
    base_ref: 'main',
    parent_branch_id: null,
    task_id: null,
    worktree_uri: null,
    created_by: 'developer',
    merged_into: null,
  }),
  CreateBranchRequest: { kind: 'session', base_ref: 'main' },
  MergeBranchRequest: { into: null },
  AbandonBranchRequest: { reason: 'The other way was better.' },
} satisfies Examples;
