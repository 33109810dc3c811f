import type { QueryTools } from '#core/query.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import { type PermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import { type WorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import { aboutOf, askedInRequest } from './about.ts';
import { EMPTY_POLICY_VERSION } from './policy-version.ts';
import type { AuditEntry, AuditOutcome, PermissionDecision, RuleScope } from './schema.ts';
import { type PermissionRuleState, permissionRuleKeys } from './state.ts';

/** The answer of a permission request; undefined while it waits for one. */
export function auditOfRequest(tools: QueryTools, id: string): AuditEntry | undefined {
  const { reader } = tools;
  const request = reader.get<PermissionRequestState>(permissionKeys.permissionRequest(id))?.resource;
  if (!request?.response) return undefined;
  const { response, session_id, workspace_id, created_at } = request;
  const task = reader.get<TaskState>(taskKeys.task(request.task_id ?? ''));
  const thing = askedInRequest(request, task?.internal.binding ?? null);
  const {
    risk,
    others: _,
    hasMore: __,
    ...about
  } = aboutOf(thing, tools.self.askedAbout(task?.internal.route ?? '', thing));
  const rule = reader.get<PermissionRuleState>(
    permissionRuleKeys.permissionRule(response.rule_id ?? ''),
  )?.resource;
  return {
    request: {
      id,
      tenant_id: reader.get<WorkspaceState>(workspaceKeys.workspace(workspace_id))?.internal.tenant ?? null,
      session_id: session_id ?? '',
      workspace_id,
      actor: task?.resource.created_by ?? '',
      ...about,
      risk,
      reason: request.request.message,
      requested_at: created_at,
    },
    outcome: response.approved ? 'granted' : 'denied',
    scope: rule?.scope ?? scopeOfAnswer(response),
    policy_version: response.policy_version ?? EMPTY_POLICY_VERSION,
    risk,
    rule_id: response.rule_id ?? null,
    reason: response.reason,
    expires_at: rule?.expires_at ?? null,
    decided_at: response.responded_at,
    decided_by: response.reviewer,
  };
}

/** What the policy of the tenant grants, it grants in the workspace; somebody's answer holds as far as it is remembered. */
function scopeOfAnswer({ rule_id, remembered }: Answer): RuleScope {
  return rule_id === null ? 'workspace' : (remembered ?? 'session');
}

type Answer = Pick<NonNullable<PermissionRequestState['resource']['response']>, 'rule_id' | 'remembered'>;

const OUTCOMES = {
  granted: 'granted',
  denied: 'denied',
  suspend: 'escalated',
} as const satisfies Record<PermissionDecision['outcome'], AuditOutcome>;

/** A check, by the id of its event. */
export function auditOfCheck({ log }: Pick<QueryTools, 'log'>, eventId: string): AuditEntry | undefined {
  const event = log.event(eventId)?.event;
  if (event === undefined) return undefined;
  const { request, decision } =
    event.payload as unknown as PayloadOf<'vendor.harn_gateway.permission_checked'>;
  const isDecided = decision.outcome !== 'suspend';
  return {
    request,
    outcome: OUTCOMES[decision.outcome],
    scope: isDecided ? decision.scope : null,
    policy_version: decision.policy_version,
    risk: request.risk ?? 'high',
    rule_id: isDecided ? decision.rule_id : null,
    reason: decision.reason,
    expires_at: decision.outcome === 'granted' ? decision.expires_at : null,
    decided_at: event.created_at,
    decided_by: null,
  };
}
