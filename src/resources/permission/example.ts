import { resource, TASK_ID, whole } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  PermissionRequest: resource('permission_request', 'permission_01KAHG6KDA1E8X0H2K4N6Q8S0', {
    ...whole,
    task_id: TASK_ID,
    status: 'pending',
    source: 'hitl',
    action: { type: 'elicitation' },
    request: { kind: 'elicitation', message: 'Which color?', options: [] },
    response: null,
  }),
  PermissionResponseRequest: { outcome: 'approved', reason: 'Within budget.' },
} satisfies Examples;
