import type { ApprovalFacts } from '#core/facts.ts';
import type { Event } from '#eventlog/event-log.ts';
import type { PermissionQuestion } from '#resources/permission/schema.ts';

/** Whether the approvals of the run named the hash of the arguments; what asked for none says nothing. */
export function bindsApprovals(events: readonly Event[]): boolean {
  const asked = events.filter(({ event }) => event === 'tool.approval_required');
  return asked.every(({ payload }) => payload['input_sha256'] !== undefined || hasNoInput(payload));
}

function hasNoInput(payload: Event['payload']): boolean {
  const { permission_request: asked } = payload as unknown as Asked;
  return asked?.request?.tool_call?.input === undefined;
}

/** Who had to approve then: a fact of the run too. Nobody is notified of a replay. */
export function approvalsOf(events: readonly Event[]): ApprovalFacts {
  for (const { payload } of events) {
    const { approvals } = (payload as unknown as Asked).permission_request?.request ?? {};
    if (approvals === undefined) continue;
    const { quorum, four_eyes: fourEyes } = approvals;
    return { termsOf: () => ({ quorum, fourEyes, timeoutMs: undefined, webhooks: [] }) };
  }
  return { termsOf: () => ({ quorum: 1, fourEyes: false, timeoutMs: undefined, webhooks: [] }) };
}

/** An event that says what was asked. */
interface Asked {
  permission_request?: { request?: Partial<PermissionQuestion> };
}

/** How long the gateway let questions wait then: a fact of the run, whatever is configured now. */
export function timeoutOf(events: readonly Event[]): number | undefined {
  for (const { payload, created_at } of events) {
    const { permission_request: asked } = payload as {
      permission_request?: { request?: { expires_at?: string } };
    };
    const expires = asked?.request?.expires_at;
    if (expires !== undefined) return Date.parse(expires) - Date.parse(created_at);
  }
  return undefined;
}
