import { isRejection, type TaskStatus } from '#protocol/task-states.ts';
import { type Found, type WordTable, wordTable } from '../table.ts';

/** A Harn task state; `REJECTED` is a FAILED Task whose failure.code is `rejected`. See mappings/README.md, States. */
export type HarnState = TaskStatus | 'REJECTED';

export type StateV1 =
  | 'TASK_STATE_UNSPECIFIED'
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_REJECTED'
  | 'TASK_STATE_AUTH_REQUIRED';

export type StateV03 =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'completed'
  | 'canceled'
  | 'failed'
  | 'rejected'
  | 'auth-required'
  | 'unknown';

const NO_STATE = 'that the agent named a state at all: the raw word is kept in metadata.a2a.raw_state';

/** Spec: A2A 1.0, TaskState. */
export const STATES_V1 = wordTable<HarnState, StateV1>()({
  toForeign: {
    SUBMITTED: 'TASK_STATE_SUBMITTED',
    WORKING: 'TASK_STATE_WORKING',
    INPUT_REQUIRED: 'TASK_STATE_INPUT_REQUIRED',
    AUTH_REQUIRED: 'TASK_STATE_AUTH_REQUIRED',
    COMPLETED: 'TASK_STATE_COMPLETED',
    FAILED: 'TASK_STATE_FAILED',
    REJECTED: 'TASK_STATE_REJECTED',
    CANCELED: 'TASK_STATE_CANCELED',
  },
  fromForeign: {
    TASK_STATE_SUBMITTED: 'SUBMITTED',
    TASK_STATE_WORKING: 'WORKING',
    TASK_STATE_INPUT_REQUIRED: 'INPUT_REQUIRED',
    TASK_STATE_AUTH_REQUIRED: 'AUTH_REQUIRED',
    TASK_STATE_COMPLETED: 'COMPLETED',
    TASK_STATE_FAILED: 'FAILED',
    TASK_STATE_REJECTED: 'REJECTED',
    TASK_STATE_CANCELED: 'CANCELED',
    TASK_STATE_UNSPECIFIED: { to: null, loses: NO_STATE },
  },
  aliases: { TASK_STATE_CANCELLED: 'TASK_STATE_CANCELED' },
});

/** Spec: A2A 0.3, TaskState. The aliases are spellings of peers seen in the field. */
export const STATES_V03 = wordTable<HarnState, StateV03>()({
  toForeign: {
    SUBMITTED: 'submitted',
    WORKING: 'working',
    INPUT_REQUIRED: 'input-required',
    AUTH_REQUIRED: 'auth-required',
    COMPLETED: 'completed',
    FAILED: 'failed',
    REJECTED: 'rejected',
    CANCELED: 'canceled',
  },
  fromForeign: {
    submitted: 'SUBMITTED',
    working: 'WORKING',
    'input-required': 'INPUT_REQUIRED',
    'auth-required': 'AUTH_REQUIRED',
    completed: 'COMPLETED',
    failed: 'FAILED',
    rejected: 'REJECTED',
    canceled: 'CANCELED',
    unknown: { to: null, loses: NO_STATE },
  },
  aliases: {
    cancelled: 'canceled',
    CANCELLED: 'canceled',
    input_required: 'input-required',
    auth_required: 'auth-required',
    succeeded: 'completed',
    error: 'failed',
  },
});

/** Takes the words of both versions, whichever the peer claims to speak. Anything else is unknown, never a success. */
export function decodeState(raw: string): Found<HarnState> {
  const tables: readonly WordTable<HarnState, string>[] = [STATES_V1, STATES_V03];
  for (const table of tables) {
    const found = table.decode(raw);
    if (found.known || found.loses !== undefined) return found;
  }
  return { known: false, raw, loses: undefined };
}

/** The Harn state to encode for a Task: a failure that rejects has its own A2A word. */
export function outwardState(status: TaskStatus, failureCode: string | undefined): HarnState {
  return isRejection({ status, failure: { code: failureCode } }) ? 'REJECTED' : status;
}

/** The Task status of a state. */
export function statusOf(state: HarnState): TaskStatus {
  return state === 'REJECTED' ? 'FAILED' : state;
}

/** What an unknown word means: work goes on while the agent is active, a final answer fails. See mappings/README.md, States. */
export const UNKNOWN_STATE = { active: 'WORKING', final: 'FAILED' } as const satisfies Record<
  string,
  TaskStatus
>;

/** States in which a blocking call is answered: nothing happens before the client, or somebody, does something. */
export function isSettled(status: TaskStatus): boolean {
  return SETTLED.includes(status);
}

const SETTLED: readonly TaskStatus[] = ['COMPLETED', 'FAILED', 'CANCELED', 'INPUT_REQUIRED', 'AUTH_REQUIRED'];
