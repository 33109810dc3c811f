import type { DecisionTools, Facts } from '#core/facts.ts';
import { newEvent } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { literalGlob } from '#policy/glob.ts';
import { type Clean, type CleanText, own, word } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import { textOf } from '#protocol/json-shape.ts';
import { aboutOf, askedInRequest } from '#resources/permission-rule/about.ts';
import { type RememberRule, RULE_SCOPES, type RuleScope } from '#resources/permission-rule/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import type { CleanTaskState } from '#resources/task/state.ts';
import { taskKeys } from '#resources/task/state.ts';
import { type CleanWorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import { tierOf } from './action-question.ts';
import type { Verdict } from './read-verdict.ts';
import type { PermissionRequest, RememberScope } from './schema.ts';
import {
  type CleanPermissionRequestState,
  type CleanRememberedRequestState,
  type CleanRememberedState,
  permissionKeys,
  type RememberedSubject,
} from './state.ts';

/** Reason of an answer that nobody gave just now. */
export const REMEMBERED = word('remembered');

/** How far a remembered answer reaches, narrowest first, by what the policy allows now. */
export const REACH = {
  never: [],
  session: ['session'],
  workspace: ['session', 'workspace'],
  user: ['session', 'workspace', 'user'],
  always: RULE_SCOPES,
} as const satisfies Record<RememberScope, readonly RuleScope[]>;

/**
 * Whether an answer for good to this question would be remembered now. A subject with a secret in it is shown to nobody, so
 * nothing is remembered of it.
 */
export function remembers(
  tools: DecisionTools,
  reader: StateReader,
  { resource }: CleanTaskState,
  subject: JsonObject,
): boolean {
  return rememberScope(tools, reader, resource) !== 'never' && !tools.redact(subject).hit;
}

/** The answer for good of an owner, a Session or a Workspace, to exactly this question; as a rule. */
export function rememberedRule(
  reader: StateReader,
  { owner, about, tenant }: { owner: string; about: RememberedSubject; tenant: string },
): RememberRule | undefined {
  const answer = reader.get<CleanRememberedState>(permissionKeys.rememberedPermission(owner, about));
  return answer && ruleOf(reader, answer.request_id, tenant);
}

/** The rule that the answer of a request is; undefined where it holds for nothing else. */
export function ruleOf(reader: StateReader, requestId: string, tenant: string): RememberRule | undefined {
  const state = reader.get<CleanRememberedRequestState>(permissionKeys.rememberedRequest(requestId));
  if (state === undefined) return undefined;
  const request = reader.get<CleanPermissionRequestState>(
    permissionKeys.permissionRequest(requestId),
  )?.resource;
  return state.internal.rule ?? (request && oldRule(reader, request, state, tenant));
}

/** What was remembered before there were rules, which says less of itself. */
function oldRule(
  reader: StateReader,
  { id, task_id, session_id, action, response }: PermissionRequest,
  { internal }: CleanRememberedRequestState,
  tenant: string,
): RememberRule {
  const owner = internal.key.split('/')[2] ?? '';
  const task = reader.get<CleanTaskState>(taskKeys.task(task_id ?? ''))?.resource;
  const actor = task?.created_by ?? response?.reviewer ?? '';
  const pattern = literalGlob(textOf(action) ?? 'tool');
  return {
    ...BARE_RULE,
    id: ruleIdOf(own(id)),
    tenant_id: tenant,
    scope: owner === session_id ? 'session' : 'workspace',
    scope_value: owner,
    class: 'custom',
    action_pattern: pattern,
    target_pattern: pattern,
    allow: response?.approved ?? false,
    created_at: response?.responded_at ?? '',
    created_by: actor,
    request_id: id,
  };
}

const BARE_RULE = { reason: null, expires_at: null, revoked_at: null, actor: null };

/** The id of the rule that an answer becomes, by the id of its request; and back. */
const REQUEST_ID = /^permission_request_/;
const RULE_ID = /^rule_/;

export function ruleIdOf(requestId: CleanText): CleanText {
  return own(requestId.replace(REQUEST_ID, 'rule_'));
}

export function requestIdOf(ruleId: string): CleanText {
  return own(ruleId.replace(RULE_ID, 'permission_request_'));
}

/**
 * How far the answer that somebody gives now is remembered; undefined: not at all. Whoever answers for a task of another actor
 * answers that one request.
 */
export function rememberedFor(
  tx: Transaction,
  facts: Facts,
  { resource }: CleanTaskState,
  request: CleanPermissionRequestState,
  { optionId }: Verdict,
): 'session' | 'workspace' | undefined {
  const chosen = request.resource.request.options.find(({ option_id }) => option_id === optionId);
  if (!chosen?.kind.endsWith('_always') || request.internal.subject_sha256 === undefined) return undefined;
  if (resource.created_by !== facts.by.actor) return undefined;
  const scope = rememberScope(facts, tx, resource);
  if (scope === 'never') return undefined;
  return scope === 'session' ? 'session' : 'workspace';
}

/** Keeps an answer for good, in the place of the one before it. Both are events of the workspace and of no session. */
export function remember(
  tx: Transaction,
  tools: DecisionTools,
  { resource, internal }: CleanTaskState,
  { resource: asked, internal: known }: CleanPermissionRequestState,
  { scope, approved }: { scope: 'session' | 'workspace'; approved: boolean },
): void {
  const owner = scope === 'session' ? resource.session_id : resource.workspace_id;
  const thing = askedInRequest(asked, internal.binding);
  const about = aboutOf(thing, tools.self.askedAbout(internal.route, thing));
  const tenant = tenantOf(tx, resource.workspace_id);
  const rule = tools.redact<RememberRule>({
    ...BARE_RULE,
    id: ruleIdOf(asked.id),
    tenant_id: tenant,
    scope,
    scope_value: owner,
    class: about.class,
    action_pattern: literalGlob(about.action),
    target_pattern: literalGlob(about.target),
    allow: approved,
    created_at: tx.time,
    created_by: resource.created_by,
    actor: resource.created_by,
    request_id: asked.id,
  }).value;
  append(tx, resource.workspace_id, 'vendor.harn_gateway.permission_remembered', {
    request_id: asked.id,
    approved,
    owner,
    actor: resource.created_by,
    route: internal.route,
    subject_sha256: known.subject_sha256 ?? word(''),
    rule,
  });
}

function tenantOf(tx: StateReader, workspaceId: string): string {
  return tx.get<CleanWorkspaceState>(workspaceKeys.workspace(workspaceId))?.internal.tenant ?? '';
}

/** From now on the question is asked again. */
export function forget(tx: Transaction, { id, workspace_id }: Clean<PermissionRequest>): void {
  append(tx, workspace_id, 'vendor.harn_gateway.permission_forgotten', { request_id: id });
}

export function isRemembered(reader: StateReader, { id }: Pick<PermissionRequest, 'id'>): boolean {
  return reader.get<CleanRememberedRequestState>(permissionKeys.rememberedRequest(id)) !== undefined;
}

function append<Kind extends `vendor.harn_gateway.permission_${'remembered' | 'forgotten'}`>(
  tx: Transaction,
  workspace_id: CleanText,
  kind: Kind,
  payload: Parameters<typeof newEvent<Kind>>[3],
): void {
  tx.append(newEvent(kind, { object: 'workspace', id: workspace_id }, { workspace_id }, payload));
}

/** How far the operator lets an answer hold now. What several have to approve, or somebody else, is asked every time. */
export function rememberScope(
  { approvals, self }: Pick<DecisionTools, 'approvals' | 'self'>,
  reader: StateReader,
  task: Pick<Task, 'persona_id' | 'session_id' | 'workspace_id'>,
): RememberScope {
  const { quorum, fourEyes } = approvals.termsOf(task.workspace_id);
  return quorum > 1 || fourEyes ? 'never' : self.policy.remember[tierOf(reader, self, task)];
}
