import { artifact } from '#resources/artifact/example.ts';
import { resource, TASK_ID, text, whole } from '#resources/example-world.ts';
import { message } from '#resources/message/example.ts';
import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Outcome: resource('outcome', 'outcome_01KAHG6HA90D7W9G1J3M5P7R9', {
    ...whole,
    task_id: TASK_ID,
    status: 'SUCCEEDED',
    summary: 'Hello.',
    messages: [{ ...message, role: 'agent', parts: text('Hello.') }],
    artifacts: [artifact],
    handoffs: [],
    receipt_id: null,
    failure: null,
    cost: {},
    metrics: {},
  }),
} satisfies Examples;
