import { resource, TASK_ID, whole } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Event: resource('event', '00000000000000000042', {
    event: 'task.started',
    resource: { object: 'task', id: TASK_ID },
    sequence: 2,
    payload: { task_id: TASK_ID, status: 'WORKING' },
    trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
    span_id: null,
    ...whole,
    task_id: TASK_ID,
    actor: 'developer',
    previous_event_id: '00000000000000000041',
  }),
} satisfies Examples;
