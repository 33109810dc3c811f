import { AT, question, resource, SESSION, TASK_ID, text, whole } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

const TASK = resource('task', TASK_ID, {
  ...whole,
  status: 'WORKING',
  input: { role: 'user', parts: text('Say hello.') },
  created_by: 'developer',
  persona_id: null,
  branch_id: null,
  parent_task_id: null,
  assigned_agent_id: 'a2a:sample',
  receipt_id: null,
  outcome_id: null,
  quota_id: null,
  started_at: AT,
  completed_at: null,
  canceled_at: null,
  failure: null,
});

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Task: TASK,
  SubmitTaskRequest: { session_id: SESSION, input: question('Say hello.') },
  CancelTaskRequest: { reason: 'No longer needed.' },
  'submitSessionTask.request': { input: question('Say hello.') },
  'cancelTask.response': { ...TASK, status: 'CANCELED', canceled_at: TASK.updated_at },
} satisfies Examples;
