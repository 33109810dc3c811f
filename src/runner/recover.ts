import { knowsRules } from '#protocol/rules.ts';
import type { Failure, TaskStatus } from '#protocol/task-states.ts';
import type { TaskState } from '#resources/task/state.ts';

export type Recovery =
  /** Accepted and never started: it starts when its turn comes. */
  | { kind: 'wait' }
  /** The agent knows it by id: ask for its state and follow it. */
  | { kind: 'reattach' }
  /** Blocked on the caller: nothing to do. */
  | { kind: 'stay' }
  | { kind: 'fail'; failure: Failure };

/**
 * What to do with a task that had not ended when the gateway stopped. A message that may have reached the agent is never
 * sent again: without an id to ask for, the task fails and says so. Source: Agents Protocol v1, "Task"; see README.md, After a stop.
 */
export function recoverTask(
  { resource, internal }: TaskState,
  { routeExists, waitsInTurn }: { routeExists: boolean; waitsInTurn: boolean },
): Recovery {
  if (internal.replay) return recoverReplay(resource.status);
  if (!knowsRules(internal.rules)) return { kind: 'fail', failure: rulesUnknown(internal.rules) };
  if (!routeExists) return { kind: 'fail', failure: routeGone(internal.route) };
  switch (resource.status) {
    case 'SUBMITTED':
      return { kind: 'wait' };
    case 'WORKING':
      return internal.binding === null ? { kind: 'fail', failure: RESTARTED } : { kind: 'reattach' };
    // In A2A the authorization arrives out of band, so the agent may have gone on meanwhile; an approval does not.
    case 'AUTH_REQUIRED':
      return internal.binding === null || waitsInTurn ? { kind: 'stay' } : { kind: 'reattach' };
    case 'INPUT_REQUIRED':
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELED':
      return { kind: 'stay' };
  }
}

/** A replay asks no agent. It goes on where its own log ends. */
function recoverReplay(status: TaskStatus): Recovery {
  if (status === 'SUBMITTED') return { kind: 'wait' };
  return { kind: status === 'WORKING' ? 'reattach' : 'stay' };
}

const RESTARTED: Failure = {
  code: 'runtime_error',
  type: 'runtime_error',
  message:
    'The gateway restarted before the agent had named its task. Whether the agent did anything is unknown; check before submitting again.',
  details: { reason: 'harness_restarted' },
};

function rulesUnknown(rules: number | undefined): Failure {
  return {
    code: 'runtime_error',
    type: 'runtime_error',
    message:
      'A newer version of the gateway accepted this task, by rules that this version does not know. Submit the task again, or run the newer version.',
    details: { reason: 'rules_unknown', rules: rules ?? null },
  };
}

function routeGone(route: string): Failure {
  return {
    code: 'upstream_unavailable',
    type: 'upstream_error',
    message:
      'The route of this task is no longer configured. Restore it in the config file, or submit the task again.',
    details: { reason: 'route_removed', route },
  };
}
