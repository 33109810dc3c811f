import type { JsonObject } from '#protocol/json.ts';
import { textOf } from '#protocol/json-shape.ts';
import type { Failure, TaskStatus } from '#protocol/task-states.ts';
import type { SessionState } from '#resources/session/schema.ts';
import { ACP_ERRORS } from '../errors.ts';
import type { OutEvent } from '../events-out.ts';
import { endOf, STOP_REASONS } from '../stop-reasons.ts';

/** What a status of a Task is to its Session. Spec: ACP v2 draft, `state_update`. */
const STATES = {
  SUBMITTED: () => undefined,
  WORKING: () => ({ state: 'running' }),
  INPUT_REQUIRED: () => ({ state: 'requires_action' }),
  AUTH_REQUIRED: () => ({ state: 'requires_action' }),
  COMPLETED: () => idle('COMPLETED', null),
  FAILED: (failure) => idle('FAILED', failure),
  CANCELED: () => idle('CANCELED', null),
} as const satisfies Record<TaskStatus, (failure: Failure | null) => JsonObject | undefined>;

const STATE_OF_SESSION = {
  ACTIVE: 'running',
  PAUSED: 'requires_action',
  IDLE: 'idle',
  CLOSED: 'idle',
  FAILED: 'idle',
} as const satisfies Record<SessionState, string>;

/** The state that an event of a Task puts its Session in; undefined for an event that leaves it as it is. */
export function stateOfEvent({ event, payload }: OutEvent): JsonObject | undefined {
  const status = textOf(payload['status']);
  if (!event.startsWith('task.') || status === undefined || !Object.hasOwn(STATES, status)) return undefined;
  return STATES[status as TaskStatus]((payload['failure'] as unknown as Failure | undefined) ?? null);
}

export function stateOfSession(state: SessionState): JsonObject {
  return { state: STATE_OF_SESSION[state] };
}

/** A failure that ACP has no word for is an error with the Harn words in its data. */
function idle(status: 'COMPLETED' | 'FAILED' | 'CANCELED', failure: Failure | null): JsonObject {
  const found = STOP_REASONS.encode(endOf(status, failure));
  if (found.known) return { state: 'idle', stopReason: found.word };
  const { code = 'runtime_error', message = 'The task failed.', type = 'runtime_error' } = failure ?? {};
  const error = { code: ACP_ERRORS.internal_error, message, data: { harn: { code, type } } };
  return { state: 'idle', stopReason: 'error', error };
}
