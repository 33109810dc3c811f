import type { ApprovalFacts, DecisionTools } from '#core/facts.ts';
import type { Event } from '#eventlog/event-log.ts';
import { type Clean, fromLog } from '#protocol/clean.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import type { PermissionQuestion } from '#resources/permission/schema.ts';
import type { RuleAnswer } from '#resources/permission-rule/schema.ts';

/** Whether the approvals of the run named the hash of the arguments; what asked for none says nothing. */
export function bindsApprovals(events: readonly Event[]): boolean {
  const asked = events.filter(({ event }) => event === 'tool.approval_required');
  return asked.every(({ payload }) => payload['input_sha256'] !== undefined || hasNoInput(payload));
}

function hasNoInput(payload: Event['payload']): boolean {
  const { permission_request: asked } = payload as unknown as Asked;
  return asked?.request?.tool_call?.input === undefined;
}

/** Who had to approve then is a fact of the run too. A replay notifies no one. */
export function approvalsOf(events: readonly Event[]): ApprovalFacts {
  for (const { payload } of events) {
    const { approvals } = (payload as unknown as Asked).permission_request?.request ?? {};
    if (approvals === undefined) continue;
    const { quorum, four_eyes: fourEyes } = approvals;
    return { termsOf: () => ({ quorum, fourEyes, timeoutMs: undefined, webhooks: [] }) };
  }
  return { termsOf: () => ({ quorum: 1, fourEyes: false, timeoutMs: undefined, webhooks: [] }) };
}

/** What rules answered then, by the agent's ids of the questions: a fact of the run, whatever rules there are now. */
export function recordedAnswersOf(events: readonly Event[]): NonNullable<DecisionTools['recordedAnswers']> {
  const approved = new Map<string, boolean>();
  for (const { payload } of events) {
    const { request_id, response } = payload as unknown as Partial<
      PayloadOf<'vendor.harn_gateway.permission_resolved'>
    >;
    if (request_id !== undefined && response !== undefined) approved.set(request_id, response.approved);
  }
  const answers = new Map<string, Clean<RuleAnswer>>();
  for (const { payload } of events) {
    const { permission_request: asked, upstream_request_id: upstreamId } = payload as unknown as Partial<
      PayloadOf<'vendor.harn_gateway.permission_requested'>
    >;
    const { answered_by: by, remembered_from } = asked?.request ?? {};
    const verdict = approved.get(asked?.id ?? '');
    if (by === undefined || verdict === undefined || typeof upstreamId !== 'string') continue;
    const from = remembered_from === undefined ? {} : { remembered_from };
    answers.set(upstreamId, fromLog<RuleAnswer>({ approved: verdict, ...by, ...from }));
  }
  return (upstreamId) => answers.get(upstreamId);
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
