import { z } from 'zod';
import { envelope, givenId, jsonObject, metadata, time } from '#protocol/envelope.ts';
import { TASK_STATUSES } from '#protocol/task-states.ts';
import { message, messageInput } from '#resources/message/schema.ts';
import { sha256 } from '#resources/receipt/parts-schema.ts';
import { taskSession } from '#resources/session/schema.ts';

export const taskStatus = z.enum(TASK_STATUSES).meta({ id: 'TaskStatus' });

export const failure = z
  .object({
    code: z.string(),
    message: z.string(),
    type: z.string().optional(),
    details: jsonObject.optional(),
  })
  .meta({ id: 'Failure' });

/** Source: Agents Protocol v1, "Task". */
export const task = envelope('task', {
  session_id: z.string(),
  workspace_id: z.string(),
  status: taskStatus,
  input: z.union([message, jsonObject]),
  created_by: z.string(),
  persona_id: z.string().nullable(),
  branch_id: z.string().nullable(),
  parent_task_id: z.string().nullable(),
  assigned_agent_id: z.string().nullable(),
  receipt_id: z.string().nullable(),
  outcome_id: z.string().nullable(),
  quota_id: z.string().nullable(),
  started_at: time.nullable(),
  completed_at: time.nullable(),
  canceled_at: time.nullable(),
  failure: failure.nullable(),
}).meta({ id: 'Task' });
export type Task = z.infer<typeof task>;

/** An object with `role` or `parts` is a Message and must validate as one; see README.md, Input. */
const taskInput = z
  .union([messageInput, jsonObject], 'must be a Message with role and parts, or an object')
  .superRefine((value, context) => {
    if (!('role' in value) && !('parts' in value)) return;
    const parsed = messageInput.safeParse(value);
    for (const issue of parsed.success ? [] : parsed.error.issues) {
      context.issues.push({ ...issue, input: value } as (typeof context.issues)[number]);
    }
  });

export const submitTaskRequest = z
  .object({
    session_id: givenId.optional(),
    session: taskSession.optional(),
    workspace_id: givenId.optional(),
    persona_id: givenId.nullable().optional(),
    branch_id: givenId.nullable().optional(),
    parent_task_id: givenId.nullable().optional(),
    input: taskInput,
    metadata: metadata.optional(),
  })
  .meta({ id: 'SubmitTaskRequest' });
export type SubmitTaskRequest = z.infer<typeof submitTaskRequest>;

export const cancelTaskRequest = z
  .object({ reason: z.string().max(2000).nullable().optional() })
  .meta({ id: 'CancelTaskRequest' });

export const appendMessageRequest = z.object({ message: messageInput }).meta({ id: 'AppendMessageRequest' });

export const TASK_MESSAGE_KINDS = ['input', 'interrupt', 'tool_confirmation'] as const;
export const appendTaskMessageRequest = z
  .object({ kind: z.enum(TASK_MESSAGE_KINDS), message: messageInput })
  .meta({ id: 'AppendTaskMessageRequest' });

/** One recorded frame of a Task. `id` is its override key; the receipt of the Task names it, or the hash of all of them. */
export const taskMaterial = z
  .object({
    object: z.literal('task_material'),
    id: z.string().describe('Override key, for POST /v1/tasks/{task_id}/replay.'),
    n: z.int().min(1).describe('Place in the run, from 1 on.'),
    kind: z.enum(['llm_provider_response', 'mcp_tool_return', 'host_fact']),
    sha256: sha256.describe('Of the RFC 8785 bytes of the frame.'),
    proof_hash: sha256
      .optional()
      .describe('Commitment to the frame as it came, where secrets were replaced before it was recorded.'),
  })
  .meta({ id: 'TaskMaterial' });
export type TaskMaterial = z.infer<typeof taskMaterial>;
