/** Source: Agents Protocol v1, "Task lifecycle". */
export const TASK_STATUSES = [
  'SUBMITTED',
  'WORKING',
  'INPUT_REQUIRED',
  'AUTH_REQUIRED',
  'COMPLETED',
  'FAILED',
  'CANCELED',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Allowed moves; a state without moves is terminal. Source: Agents Protocol v1, "Allowed transitions". */
export const TASK_TRANSITIONS = {
  SUBMITTED: ['WORKING', 'CANCELED', 'FAILED'],
  WORKING: ['INPUT_REQUIRED', 'AUTH_REQUIRED', 'COMPLETED', 'FAILED', 'CANCELED'],
  INPUT_REQUIRED: ['WORKING', 'FAILED', 'CANCELED'],
  AUTH_REQUIRED: ['WORKING', 'FAILED', 'CANCELED'],
  COMPLETED: [],
  FAILED: [],
  CANCELED: [],
} as const satisfies Record<TaskStatus, readonly TaskStatus[]>;

export type TerminalStatus = 'COMPLETED' | 'FAILED' | 'CANCELED';
export type BlockedStatus = 'INPUT_REQUIRED' | 'AUTH_REQUIRED';

export function canMove(from: TaskStatus, to: TaskStatus): boolean {
  return (TASK_TRANSITIONS[from] as readonly TaskStatus[]).includes(to);
}

export function isTerminal(status: TaskStatus): status is TerminalStatus {
  return TASK_TRANSITIONS[status].length === 0;
}

export function isBlocked(status: TaskStatus): status is BlockedStatus {
  return status === 'INPUT_REQUIRED' || status === 'AUTH_REQUIRED';
}

/** The event of each transition: exactly one. Back to WORKING from a blocked state is `task.status_changed`. */
export const EVENT_OF_STATUS = {
  SUBMITTED: 'task.submitted',
  WORKING: 'task.started',
  INPUT_REQUIRED: 'task.input_required',
  AUTH_REQUIRED: 'task.auth_required',
  COMPLETED: 'task.completed',
  FAILED: 'task.failed',
  CANCELED: 'task.canceled',
} as const satisfies Record<TaskStatus, string>;

/** Task status to Outcome status: what a Task calls COMPLETED, its Outcome and its Receipt call SUCCEEDED. */
export const OUTCOME_OF_STATUS = {
  COMPLETED: 'SUCCEEDED',
  FAILED: 'FAILED',
  CANCELED: 'CANCELED',
} as const satisfies Record<TerminalStatus, string>;

/** What a failed Task carries. Source: OpenAPI `Failure`; `type` is the family of the code, see README.md, Errors. */
export interface Failure {
  code: string;
  message: string;
  type?: string;
  details?: import('./json.ts').JsonObject;
}

/** Failure codes of a Task that was not taken on: the agent or a policy said no. See mappings/README.md, States. */
const REJECTING_CODES: readonly string[] = ['rejected', 'policy_violation'];

export function isRejection({
  status,
  failure,
}: {
  status: TaskStatus;
  failure?: { code?: string | undefined } | null | undefined;
}): boolean {
  return status === 'FAILED' && REJECTING_CODES.includes(failure?.code ?? '');
}
