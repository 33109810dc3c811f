import type { JsonValue } from '../../protocol/json.ts';
import type { OperationId } from '../../protocol/operations.ts';

export interface Example {
  request?: JsonValue;
  response?: JsonValue;
}

const AT = '2026-11-21T09:00:00.000Z';
const WORKSPACE = 'workspace_default';
const SESSION = 'session_01KAHG5Y3TQ8W0M2Z4N6B8D0F2';
const TASK = 'task_01KAHG62E4R9X1P3A5C7E9G1J3';
const question = { role: 'user', parts: [{ type: 'text', text: 'Say hello.', visibility: 'public' }] };

const session = {
  id: SESSION,
  object: 'session',
  created_at: AT,
  updated_at: AT,
  metadata: {},
  workspace_id: WORKSPACE,
  state: 'IDLE',
  transcript: { message_count: 0 },
  persona_id: null,
  root_session_id: null,
  parent_session_id: null,
  branch_id: null,
  last_event_id: null,
  summary: null,
  expires_at: null,
};

const task = {
  id: TASK,
  object: 'task',
  created_at: AT,
  updated_at: AT,
  metadata: {},
  session_id: SESSION,
  workspace_id: WORKSPACE,
  status: 'WORKING',
  input: question,
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
};

/** Examples of the operations a newcomer meets first; a test checks them against the schemas. */
export const EXAMPLES: Partial<Record<OperationId, Example>> = {
  getHealth: { response: { ok: true, status: 'ok', version: '0.1.0' } },
  createSession: { request: { workspace_id: WORKSPACE }, response: session },
  getSession: { response: session },
  submitTask: { request: { session_id: SESSION, input: question }, response: task },
  submitSessionTask: { request: { input: question }, response: task },
  getTask: { response: task },
  cancelTask: { request: { reason: 'No longer needed.' } },
  appendTaskMessage: { request: { kind: 'input', message: question } },
};
