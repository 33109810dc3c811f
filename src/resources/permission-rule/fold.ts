import type { Event, StateReader, StateWriter } from '#eventlog/event-log.ts';
import { decimal } from '#protocol/usage.ts';
import { type Folds, payload } from '#resources/payload.ts';
import type { Task } from '#resources/task/schema.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import { type WorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import { type RememberRule, RULE_SCOPES } from './schema.ts';
import {
  type PermissionRuleState,
  type PermissionsState,
  permissionRuleKeys,
  type RulesOfOwnerState,
  type SessionCostState,
} from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.permission_rule_created': [foldRuleCreated],
  'vendor.harn_gateway.permission_rule_revoked': [foldRuleRevoked],
  'vendor.harn_gateway.permission_policy_installed': [foldPolicyInstalled],
  'vendor.harn_gateway.permission_checked': [foldChecked],
};

type RulePlace = Pick<RememberRule, 'scope' | 'scope_value' | 'tenant_id'>;

/** Who has a rule: a Session, a Workspace, an actor of a tenant, or the tenant. */
export function ownerOfRule({ scope, scope_value, tenant_id }: RulePlace): string {
  return permissionRuleKeys.rulesOf(tenant_id ?? '', scope, scope_value ?? '');
}

/** The rules of an owner that were neither revoked nor seen to have expired. */
export function rulesOf(states: StateReader, owner: string): PermissionRuleState[] {
  const { ids } = states.get<RulesOfOwnerState>(owner) ?? { ids: [] };
  return ids.flatMap((id) => states.get<PermissionRuleState>(permissionRuleKeys.permissionRule(id)) ?? []);
}

export function hasExpired({ expires_at }: Pick<RememberRule, 'expires_at'>, time: string): boolean {
  return expires_at !== null && expires_at <= time;
}

function foldRuleCreated(event: Event, states: StateWriter): void {
  const { rule, tenant, workspace_id } = payload(event, 'vendor.harn_gateway.permission_rule_created');
  const owner = ownerOfRule(rule);
  // What has expired makes room.
  for (const { resource } of rulesOf(states, owner))
    if (hasExpired(resource, event.created_at)) leave(states, resource, tenant);
  const state: PermissionRuleState = { resource: rule, internal: { tenant, workspace_id } };
  states.set(permissionRuleKeys.permissionRule(rule.id), state);
  const { ids } = states.get<RulesOfOwnerState>(owner) ?? { ids: [] };
  states.set(owner, { ids: [...ids, rule.id] } satisfies RulesOfOwnerState);
  states.index(listed(rule, tenant));
  count(states, tenant, 1);
}

function foldRuleRevoked(event: Event, states: StateWriter): void {
  revoke(event, states, payload(event, 'vendor.harn_gateway.permission_rule_revoked').rule_id);
}

/** No task runs there any more. */
export function foldRulesOfClosed(event: Event, states: StateWriter): void {
  const session = event.session_id ?? '';
  const { ids } = states.get<RulesOfOwnerState>(permissionRuleKeys.rulesOf('', 'session', session)) ?? {
    ids: [],
  };
  for (const id of ids) revoke(event, states, id);
}

function revoke({ created_at }: Event, states: StateWriter, id: string): void {
  const key = permissionRuleKeys.permissionRule(id);
  const state = states.get<PermissionRuleState>(key);
  if (state === undefined || state.resource.revoked_at !== null) return;
  const resource = { ...state.resource, revoked_at: created_at };
  states.set(key, { ...state, resource } satisfies PermissionRuleState);
  leave(states, resource, state.internal.tenant);
}

/** The rule itself stays, for whoever asks by which one something was answered. */
function leave(states: StateWriter, rule: RememberRule, tenant: string): void {
  const owner = ownerOfRule(rule);
  const { ids } = states.get<RulesOfOwnerState>(owner) ?? { ids: [] };
  if (!ids.includes(rule.id)) return;
  const left = ids.filter((id) => id !== rule.id);
  states.set(owner, left.length === 0 ? undefined : ({ ids: left } satisfies RulesOfOwnerState));
  states.unindex(listed(rule, tenant));
  count(states, tenant, -1);
}

/** Narrowest scope first. */
function listed({ id, scope }: RememberRule, tenant: string): string {
  return `${permissionRuleKeys.permissionRules(tenant)}${RULE_SCOPES.indexOf(scope)}/${id}`;
}

function count(states: StateWriter, tenant: string, by: number): void {
  const key = permissionRuleKeys.permissions(tenant);
  const state = states.get<PermissionsState>(key) ?? { rules: 0 };
  states.set(key, { ...state, rules: state.rules + by } satisfies PermissionsState);
}

function foldPolicyInstalled(event: Event, states: StateWriter): void {
  const { tenant, version, policy } = payload(event, 'vendor.harn_gateway.permission_policy_installed');
  const key = permissionRuleKeys.permissions(tenant);
  const { rules } = states.get<PermissionsState>(key) ?? { rules: 0 };
  states.set(key, { rules, policy: { version, document: policy } } satisfies PermissionsState);
}

function foldChecked({ id, workspace_id }: Event, states: StateWriter): void {
  states.index(permissionRuleKeys.permissionChecks(workspace_id ?? '') + id);
}

/** Tasks whose cost is kept apart, because they may still report more. */
const MAX_TASKS = 64;

/** Counts what a run has cost where a ceiling is in force; after the fold of what it used. */
export function foldCost(event: Event, states: StateWriter): void {
  const { usage } = payload(event, 'vendor.harn_gateway.upstream_note');
  const { task_id, session_id, workspace_id } = event;
  if (usage?.cost === undefined || task_id === null || session_id === null) return;
  if (ceilingOf(states, workspace_id ?? '') === undefined) return;
  const costs = states.get<TaskState>(taskKeys.task(task_id))?.internal.run?.usage?.costs ?? [];
  const usd = costs.find(({ currency }) => currency === 'USD')?.amount;
  if (usd === undefined) return;
  const key = permissionRuleKeys.sessionCost(session_id);
  const before = states.get<SessionCostState>(key) ?? { tasks: [], earlier: 0 };
  const tasks: SessionCostState['tasks'] = [
    ...before.tasks.filter(([id]) => id !== task_id),
    [task_id, usd] as const,
  ];
  const [, left = 0] = (tasks.length > MAX_TASKS ? tasks.shift() : undefined) ?? [];
  states.set(key, { tasks, earlier: decimal(before.earlier + left) } satisfies SessionCostState);
}

/** The ceiling of what the runs of a Session may cost, in cents; undefined: there is none. */
export function ceilingOf(states: StateReader, workspaceId: string): number | undefined {
  const tenant = states.get<WorkspaceState>(workspaceKeys.workspace(workspaceId))?.internal.tenant;
  if (tenant === undefined) return undefined;
  const policy = states.get<PermissionsState>(permissionRuleKeys.permissions(tenant))?.policy?.document;
  return policy?.llm.cost_ceiling_usd_cents ?? undefined;
}

/** What a Session has cost so far, in cents; undefined where no agent has said so. */
export function costOf(states: StateReader, sessionId: string): number | undefined {
  const state = states.get<SessionCostState>(permissionRuleKeys.sessionCost(sessionId));
  if (state === undefined) return undefined;
  const usd = state.tasks.reduce((sum, [, amount]) => sum + amount, state.earlier);
  return decimal(usd * 100);
}

/** Whether there is a ceiling, and nothing to hold to it: no agent of the Session has said what it costs. */
export function isCostUnknown(
  reader: StateReader,
  { session_id, workspace_id }: Pick<Task, 'session_id' | 'workspace_id'>,
): boolean {
  return ceilingOf(reader, workspace_id) !== undefined && costOf(reader, session_id) === undefined;
}
