import type { Facts } from '#core/facts.ts';
import { newEvent, placeOfTask } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { holdsScope } from '#policy/scope.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { PermissionRequestState, TaskState } from '#resources/read-states.ts';
import { reviewOf } from '#resources/trust/record-trust.ts';

const RESPOND_SCOPE = 'permissions:respond';

/** A decision takes the same scope by whatever door it comes; an answer to a question is work on the Task. */
export function refuseWithoutScope(
  { resource }: PermissionRequestState,
  { caller }: Pick<Facts, 'caller'>,
): void {
  if (resource.request.kind === 'elicitation' || holdsScope(caller, RESPOND_SCOPE)) return;
  throw new ProtocolError(
    'permission_denied',
    `Your credentials lack the scope ${RESPOND_SCOPE}, which a decision about a permission request takes. Ask for a key that has it.`,
    { details: { required_scope: RESPOND_SCOPE } },
  );
}

/** Who may approve, where the workspace says more than that somebody has to. A denial is for everybody. */
export function refuseReviewer(
  task: TaskState,
  { resource, internal }: PermissionRequestState,
  { by }: Pick<Facts, 'by'>,
  approved: boolean,
): void {
  const { approvals } = resource.request;
  if (!approved || approvals === undefined) return;
  if (approvals.four_eyes && by.actor === task.resource.created_by) {
    const message = 'Whoever submitted the Task may not approve this. Let another person answer.';
    throw new ProtocolError('policy_violation', message, { details: { rule: 'approvals.four_eyes' } });
  }
  if (internal.votes?.some(({ reviewer }) => reviewer === by.actor)) {
    const message = 'You have approved this already. It waits for other reviewers.';
    throw new ProtocolError('conflict', message, { details: { ...approvals } });
  }
}

/** Whether this approval is one of several, and not the last one. */
export function isVote({ resource, internal }: PermissionRequestState, approved: boolean): boolean {
  const { quorum = 1 } = resource.request.approvals ?? {};
  return approved && (internal.votes?.length ?? 0) + 1 < quorum;
}

/** Keeps an approval, and the request open. */
export function recordVote(
  tx: Transaction,
  facts: Facts,
  task: TaskState,
  request: PermissionRequestState,
): void {
  const { id } = request.resource;
  const { quorum = 1 } = request.resource.request.approvals ?? {};
  const review = reviewOf(tx, facts, request, { approved: true, reviewer: facts.by.actor });
  const payload = { request_id: id, quorum, review };
  const pointer = { object: 'permission_request', id };
  tx.append(newEvent('vendor.harn_gateway.approval_voted', pointer, placeOfTask(task.resource), payload));
}
