import type { Event } from '#eventlog/event-log.ts';
import type { EventKind } from '#protocol/event-kinds.ts';
import type { TaskState } from '#resources/states.ts';
import type { Task } from '#resources/task/schema.ts';

/**
 * Events that make a run worth keeping longer: somebody will want to know why. A new kind that stands for a failed check, a
 * loop guard or a refused or destructive action belongs here. See README.md, Retention.
 */
const OF_INTEREST: ReadonlySet<EventKind> = new Set<EventKind>([
  'task.auth_required',
  'user.cancel_requested',
  'user.tool_confirmation',
  'tool.approval_required',
  'tool.approved',
  'tool.denied',
  'tool.failed',
  'vendor.harn_gateway.policy_decided',
  'span.failed',
  'receipt.verification_failed',
  'replay.started',
  'replay.event_replayed',
  'replay.completed',
  'replay.failed',
  'session.replayed',
]);

/** Somebody wanted to see the run again. */
export function wasReplayed({ replays }: TaskState['internal']): boolean {
  return replays !== undefined;
}

/** A run that did not simply succeed. */
export function endedBadly({ status }: Pick<Task, 'status'>): boolean {
  return status === 'FAILED' || status === 'CANCELED';
}

export function isOfInterest({ event, payload }: Event): boolean {
  if (event === 'vendor.harn_gateway.permission_requested') return asksForPermission(payload);
  return OF_INTEREST.has(event as EventKind);
}

/** A question for more input is no approval. */
function asksForPermission(payload: Event['payload']): boolean {
  const { permission_request } = payload as { permission_request?: { request?: { kind?: string } } };
  return permission_request?.request?.kind !== 'elicitation';
}
