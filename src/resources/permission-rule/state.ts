import type { Clean } from '#protocol/clean.ts';
import { type Folded, foreign, idKey, idList, textKey, textList } from '#resources/states.ts';
import type { PermissionPolicy, RememberRule, RuleScope } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const permissionRuleKeys = {
  permissionRule: idKey('r/permission_rule/'),
  /** The rules of a Session or a Workspace, of an actor of a tenant, or of the tenant. */
  rulesOf: (tenant: string, scope: RuleScope, value: string) =>
    `x/rules/${scope}/${OWNER_OF[scope](tenant, value)}`,
  /** By tenant. */
  permissions: textKey('x/permissions/'),
  sessionCost: idKey('x/session-cost/'),
  /** By tenant. */
  permissionRules: textList('l/permission-rule/'),
  /** Checks of permissions of a workspace, by the ids of their events. */
  permissionChecks: idList('l/permission-check/'),
} as const;

const OWNER_OF: { readonly [Scope in RuleScope]: (tenant: string, value: string) => string } = {
  session: (_, value) => value,
  workspace: (_, value) => value,
  user: (tenant, value) => foreign(JSON.stringify([tenant, value])),
  always: (tenant) => foreign(tenant),
};

/** A rule, also one that holds no more; `workspace_id`: of a rule of a Session or a Workspace. */
export type PermissionRuleState = Folded<RememberRule, { tenant: string; workspace_id: string | null }>;

/** Rules that hold, oldest first; those that have expired since are among them. */
export interface RulesOfOwnerState {
  ids: string[];
}

/** What the runs of a Session have cost in US dollars, by what their agents said while a ceiling was in force. */
export interface SessionCostState {
  /** The newest tasks, each with its own; what older ones cost is in `earlier`. */
  tasks: (readonly [taskId: string, usd: number])[];
  earlier: number;
}

/** What a tenant has said about permissions. Absent: nothing, and there is nothing to ask. */
export interface PermissionsState {
  /** How many rules hold, of all owners. */
  rules: number;
  policy?: { version: string; document: PermissionPolicy };
}

/** As they are read: what was folded of clean events is clean. */
export type CleanPermissionRuleState = Clean<PermissionRuleState>;
export type CleanPermissionsState = Clean<PermissionsState>;
