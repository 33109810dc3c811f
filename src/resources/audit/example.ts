import { AT, TASK_ID, whole } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** Examples by the names of schemas. */
export const examples = {
  AuditLine: {
    id: '00000000000000000042',
    object: 'audit_line',
    time: AT,
    kind: 'tool.denied',
    who: 'reviewer',
    what: 'use of the tool delete_file',
    result: 'denied',
    rule: null,
    target: { object: 'task', id: TASK_ID },
    ...whole,
    task_id: TASK_ID,
    request_id: 'permission_request_01KAHG6QJC3G0Z2K4N6Q8S0V2X',
    trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
    unrecorded: 0,
  },
} satisfies Examples;
