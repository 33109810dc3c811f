import type { Caller } from '#auth/caller.ts';
import type { Handlers } from '#core/command.ts';
import { load, notFound, targetOf } from '#core/load.ts';
import { ok, type Query, type QueryTools } from '#core/query.ts';
import { ACCESS_CHECKS, isMember, sharesTenant, type Target } from '#policy/access.ts';
import { ACTION_CHECKS, type Action } from '#policy/action.ts';
import { type Decision, type Explained, explainBy } from '#policy/decision.ts';
import type { AutonomyTier, SideEffectClass } from '#protocol/autonomy.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { isLive } from '#resources/api-key/fold.ts';
import { seesApiKey } from '#resources/api-key/make-api-key.ts';
import { type ApiKeyState, apiKeyKeys } from '#resources/api-key/state.ts';
import { OPERATIONS, type OperationId, operation } from '#resources/operations.ts';
import { findOutcome } from '#resources/outcome/load-outcome.ts';
import { actionQuestion } from '#resources/permission/action-question.ts';
import type { RememberScope } from '#resources/permission/schema.ts';
import { aboutOf } from '#resources/permission-rule/about.ts';
import { isAtCeiling } from '#resources/permission-rule/cost-ceiling.ts';
import { permissionFor } from '#resources/permission-rule/rules-in-force.ts';
import { fullQuota } from '#resources/quota/check-quotas.ts';
import { routeOfSkill, skillId } from '#resources/skill/skills.ts';
import { type WorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import type { ExplainPolicyQuery, PolicyExplanation } from './schema.ts';

const explainPolicy: Query<'explainPolicy'> = async ({ query }, tools) =>
  ok(await explanationOf(query, tools), tools.caller);

/** What a credential gives its holder. */
type Grant = Pick<Caller, 'actor' | 'tenant' | 'scopes' | 'workspaces'> & { credential: string | null };

interface Explanation {
  decision: Decision;
  checks: Explained[];
  tier?: AutonomyTier;
  sideEffect?: SideEffectClass;
  remembers?: RememberScope;
}

/** Keys read to find those of an actor; a tenant with more names them by --scopes. */
const KEYS_READ = 5_000;

/** What the policy makes of a call, in the words of the rules that judge real ones. Throws for what is not known. */
async function explanationOf(asked: ExplainPolicyQuery, tools: QueryTools): Promise<PolicyExplanation> {
  if (!Object.hasOwn(OPERATIONS, asked.operation)) {
    const message = 'operation: is none of the operationIds of GET /openapi.json.';
    throw new ProtocolError('invalid_request', message, { param: 'operation' });
  }
  refuseUnknown(asked, tools);
  const named = asked.resource ?? asked.session;
  const target = named === undefined ? undefined : await visibleTarget(named, tools);
  const explained = (await grantsOf(asked, tools)).map((grant) => ({
    grant,
    ...explain(asked, grant, target, tools),
  }));
  const best = explained.find(({ decision }) => decision.effect !== 'refuse') ?? explained[0];
  if (best === undefined) throw unknownActor();
  return {
    object: 'policy_explanation',
    actor: asked.actor,
    operation: asked.operation,
    resource: asked.resource ?? null,
    skill: asked.skill ?? null,
    credential: best.grant.credential,
    decision: best.decision,
    checks: best.checks,
    tier: best.tier ?? null,
    side_effect: best.sideEffect ?? null,
    remembers: best.remembers ?? null,
  };
}

/** A persona or a Skill that nobody knows is a mistake of the asker, whatever else would be refused before it. */
function refuseUnknown({ persona, skill }: ExplainPolicyQuery, { reader, caller, self }: QueryTools): void {
  if (persona !== undefined) load(reader, caller, 'persona', persona, 'persona');
  if (skill !== undefined) actionOf(skill, { self });
}

function unknownActor(): ProtocolError {
  const message = 'actor: has no API key here. Give the scopes of its access token as scopes.';
  return new ProtocolError('resource_not_found', message, { param: 'actor' });
}

/** The live keys of an actor of the caller's own tenant, or the token that the question describes. */
async function grantsOf(
  { actor, scopes, workspaces }: ExplainPolicyQuery,
  { self, reader, log, caller, time }: QueryTools,
): Promise<Grant[]> {
  const { tenant } = caller;
  if (scopes !== undefined) {
    const given = workspaces ?? ['workspace_default'];
    return [{ actor, tenant, scopes: new Set(scopes), workspaces: given, credential: null }];
  }
  const prefix = apiKeyKeys.apiKeys(tenant);
  const ids = await log.indexKeys({ gt: prefix, lt: `${prefix}~`, limit: KEYS_READ });
  const made = ids.flatMap((key) => {
    const state = reader.get<ApiKeyState>(apiKeyKeys.apiKey(key.slice(prefix.length)));
    return state !== undefined && isLive(state.resource, time) && seesApiKey(reader, caller, state.resource)
      ? [{ ...state.resource, tenant: state.resource.tenant_id }]
      : [];
  });
  return [...self.keys(), ...made]
    .filter((key) => key.actor === actor && key.tenant === tenant)
    .map((key) => ({ ...key, scopes: new Set(key.scopes), credential: key.id }));
}

function explain(
  asked: ExplainPolicyQuery,
  grant: Grant,
  target: Target | undefined,
  tools: QueryTools,
): Explanation {
  const { scope } = operation(asked.operation as OperationId);
  const access = explainBy(ACCESS_CHECKS, { caller: grant, scope, target });
  if (asked.skill === undefined || access.decision.effect === 'refuse') return access;
  const action = explainAction(asked, asked.skill, grant, tools);
  const before = access.checks.map(({ check }) => ({ check, result: 'passed' as const }));
  return { ...action, checks: [...before, ...action.checks] };
}

/** What the asker may not know of is absent. */
async function visibleTarget(id: string, tools: QueryTools): Promise<Target> {
  const { reader, caller } = tools;
  const task = await findOutcome(tools, id);
  const target = targetOf(reader, task === undefined ? id : task.resource.id);
  const isVisible = target.workspace
    ? isMember(caller, target.workspace)
    : sharesTenant(caller, target.tenant);
  return isVisible ? target : {};
}

function explainAction(
  asked: ExplainPolicyQuery,
  skill: string,
  grant: Grant,
  { reader, self, approvals, caller, time }: QueryTools,
): Explanation {
  const action = actionOf(skill, { self });
  const session =
    asked.session === undefined
      ? undefined
      : load(reader, caller, 'session', asked.session, 'session').resource;
  const personaId = asked.persona ?? session?.persona_id ?? null;
  const persona =
    personaId === null ? undefined : load(reader, caller, 'persona', personaId, 'persona').resource;
  const workspaceId =
    session?.workspace_id ?? grant.workspaces.find((id) => id !== '*') ?? 'workspace_default';
  const subject = { persona_id: personaId, session_id: session?.id ?? '', workspace_id: workspaceId };
  const question = actionQuestion(reader, self, subject, action);
  const workspace = reader.get<WorkspaceState>(workspaceKeys.workspace(workspaceId))?.resource;
  const full =
    workspace && fullQuota({ get: reader.get, time }, self.quotas, { workspace, persona, startsNow: true });
  const exhausted = full && (full.quota.hard_limit ? 'hard' : 'soft');
  const asker = { ...subject, created_by: grant.actor };
  const permission = permissionFor(
    { get: reader.get.bind(reader), time },
    { approvals, self },
    asker,
    aboutOfCall(action),
  );
  const isOver = isAtCeiling(reader, subject);
  const explained = explainBy(ACTION_CHECKS, { ...question, exhausted, permission, isAtCeiling: isOver });
  const { tier } = question;
  return { ...explained, tier, sideEffect: action.sideEffect, remembers: self.policy.remember[tier] };
}

/** A call before its arguments are known: rules that look at its target match the name alone. */
function aboutOfCall({ route, skillId, sideEffect }: Action) {
  const name = skillId ?? route;
  const metadata = { policy: { bound_to: { action: name }, side_effect: sideEffect } };
  return aboutOf({ kind: 'tool', action: name, metadata, binding: null }, {});
}

/** A Skill by its id, an agent by its route. A tool of which nothing is known is judged as the worst. */
function actionOf(skill: string, { self }: Pick<QueryTools, 'self'>): Action {
  const agents = self.agents();
  const found = routeOfSkill(skill.startsWith('skill:') ? skill : `skill:${skill}`, agents);
  if (found === undefined) {
    if (self.routes().includes(skill)) return { route: skill, sideEffect: 'delegate' };
    throw notFound('skill or route', 'skill');
  }
  const { route } = found;
  const described = agents
    .find((agent) => agent.route === route)
    ?.description.skills.find(({ id }) => id === found.skillId);
  const action = { route, skillId: skillId(route, found.skillId ?? '') };
  if (described?.tool === undefined) return { ...action, sideEffect: 'delegate' };
  return { ...action, ...(described.tool.judged ?? { sideEffect: 'destructive' as const }) };
}

export const handlers = {
  explainPolicy,
} satisfies Partial<Handlers>;
