import { z } from 'zod';
import { pointer, time } from '#protocol/envelope.ts';

/** One decision, of one event. A shape of this gateway, which the Agents Protocol does not name. */
export const auditLine = z
  .object({
    id: z.string().describe('Id of the event, and the cursor behind this line.'),
    object: z.literal('audit_line'),
    time,
    kind: z.string().describe('Kind of the event.'),
    who: z.string().nullable().describe('Actor; null: the gateway itself.'),
    what: z.string(),
    result: z.string(),
    rule: z.string().nullable().describe('By which rule, where there is one.'),
    target: pointer,
    workspace_id: z.string().nullable(),
    session_id: z.string().nullable(),
    task_id: z.string().nullable(),
    request_id: z.string().nullable().describe('Of the permission request.'),
    trace_id: z.string().nullable(),
    unrecorded: z.int().min(0).describe('Equal ones before it that have no line.'),
  })
  .meta({ id: 'AuditLine' });
export type AuditLine = z.infer<typeof auditLine>;

export const AUDIT_LINES_TYPE = 'application/x-ndjson';
