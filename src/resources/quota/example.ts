import { resource, WORKSPACE } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Quota: resource('quota', 'per_workspace', {
    scope: 'workspace',
    owner_id: WORKSPACE,
    limits: { concurrent_tasks: 10 },
    usage: { concurrent_tasks: 1 },
    reset_at: null,
    hard_limit: true,
    soft_limit: false,
    exhaustion_reason: null,
    last_receipt_id: null,
  }),
} satisfies Examples;
