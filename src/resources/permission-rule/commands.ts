import type { Command, Handlers } from '#core/command.ts';
import type { Facts } from '#core/facts.ts';
import { ID, isMemberOf, load, loadWorkspace, notFound } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { holdsScope } from '#policy/access.ts';
import { isCoveredBy, RISK_OF_CLASS } from '#policy/permission.ts';
import type { Clean, CleanText } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { forget, requestIdOf, ruleOf } from '#resources/permission/remembered-permission.ts';
import { type CleanPermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import type { Session } from '#resources/session/schema.ts';
import { plainTarget } from './about.ts';
import { hasExpired, ownerOfRule, rulesOf } from './fold.ts';
import { makeRule, missingRule, placeOf, refuseGlobs, refuseWithoutAdmin } from './make-rule.ts';
import { EMPTY_POLICY, policyVersion } from './policy-version.ts';
import { getPermissionHistory, getPermissionPolicy, listPermissionRules, shownPolicy } from './queries.ts';
import { permissionFor } from './rules-in-force.ts';
import type {
  InstallPolicyRequest,
  PermissionCheckRequest,
  PermissionDecision,
  PermissionPolicy,
  RememberRule,
} from './schema.ts';
import { type CleanPermissionRuleState, type CleanPermissionsState, permissionRuleKeys } from './state.ts';

/** Equal content is installed once. */
const installPermissionPolicy: Command<'installPermissionPolicy'> = {
  decide({ body, sent }, tx, facts) {
    const policy = documentOf(body);
    refuseGlobs(globsOf(policy));
    refuseHidden(body, sent);
    const version = policyVersion(policy);
    const { tenant } = facts.by;
    const known = tx.get<CleanPermissionsState>(permissionRuleKeys.permissions(tenant))?.policy;
    if (known?.version !== version || JSON.stringify(known.document) !== JSON.stringify(policy)) {
      // Equal policies of two tenants are two: the stream of one says nothing of the other.
      const pointer = { object: 'permission_policy', id: tenant };
      const payload = { tenant, version, policy };
      const place = { tenant_id: tenant };
      tx.append(newEvent('vendor.harn_gateway.permission_policy_installed', pointer, place, payload));
      tx.afterCommit(() => facts.runs.answerOpen());
    }
    return { body: shownPolicy(tx.get<CleanPermissionsState>(permissionRuleKeys.permissions(tenant))) };
  },
};

/** The members themselves, or those in `policy`; never some of both. */
function documentOf({ policy: wrapped, ...bare }: Clean<InstallPolicyRequest>): Clean<PermissionPolicy> {
  if (wrapped === undefined) return bare;
  const names = Object.keys(bare) as (keyof PermissionPolicy)[];
  const beside = names.find((name) => JSON.stringify(bare[name]) !== JSON.stringify(EMPTY_POLICY[name]));
  if (beside === undefined) return wrapped;
  const message = `${beside}: stands beside policy, which is the whole document. Send it in policy, or leave policy out.`;
  throw new ProtocolError('invalid_request', message, { param: beside });
}

function globsOf({ read, write, exec, net, redact }: PermissionPolicy) {
  const lists = { read, write, exec, net };
  const named = Object.entries({
    ...lists,
    'redact.transcript': redact.transcript,
    'redact.logs': redact.logs,
  });
  return named.flatMap(([name, globs]) => globs.map((pattern, at) => ({ param: `${name}[${at}]`, pattern })));
}

/** What is kept of a secret matches nothing, so that a policy with one would not be what its author meant. */
function refuseHidden(clean: object, sent: object): void {
  const kept = new Map(Object.entries(clean).map(([name, value]) => [name, JSON.stringify(value)]));
  const found = Object.entries(sent).find(([name, value]) => kept.get(name) !== JSON.stringify(value));
  if (found === undefined) return;
  throw new ProtocolError('invalid_request', `${found[0]}: holds a secret. Use a pattern without it.`, {
    param: found[0],
  });
}

const createPermissionRule: Command<'createPermissionRule'> = {
  decide({ body }, tx, facts) {
    if (typeof body.revoked_at === 'string') {
      const message =
        'revoked_at: a new rule holds. Leave it out; DELETE /v1/permissions/rules/{rule_id} revokes a rule.';
      throw new ProtocolError('invalid_request', message, { param: 'revoked_at' });
    }
    const rule = makeRule(tx, facts, body);
    const overridden_by = olderAnswers(tx, rule);
    return { body: overridden_by.length === 0 ? rule : { ...rule, overridden_by } };
  },
};

/** Rules of the same scope that are asked before a new one, match all that it does, and answer otherwise. */
function olderAnswers(tx: Transaction, rule: Clean<RememberRule>): CleanText[] {
  return rulesOf(tx, ownerOfRule(rule))
    .flatMap(
      ({ resource: { id } }) => tx.get<CleanPermissionRuleState>(permissionRuleKeys.permissionRule(id)) ?? [],
    )
    .map(({ resource }) => resource)
    .filter((older) => older.id !== rule.id && older.allow !== rule.allow)
    .filter((older) => !hasExpired(older, tx.time) && isCoveredBy(rule, older))
    .map(({ id }) => id);
}

const revokePermissionRule: Command<'revokePermissionRule'> = {
  decide({ path }, tx, facts) {
    const id = path.rule_id;
    if (!ID.test(id)) throw missingRule();
    const state = tx.get<CleanPermissionRuleState>(permissionRuleKeys.permissionRule(id));
    if (state === undefined) return forgetAnswer(requestIdOf(id), tx, facts);
    const { resource, internal } = state;
    if (!seesRule(tx, facts, state) || resource.revoked_at !== null) throw missingRule();
    // Whoever made a rule may take it back; so may whoever could have made it for everybody.
    if (resource.created_by !== facts.by.actor) refuseWithoutAdmin(facts, 'Somebody else made this rule.');
    const pointer = { object: 'permission_rule', id: resource.id };
    const place = placeOf(internal.workspace_id, facts.by.tenant);
    const payload = { rule_id: resource.id };
    tx.append(newEvent('vendor.harn_gateway.permission_rule_revoked', pointer, place, payload));
    return { body: {} };
  },
};

/** What was answered for good by an option is listed as a rule too. */
function forgetAnswer(requestId: string, tx: Transaction, { caller }: Facts) {
  const request = tx.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(requestId))?.resource;
  const isSeen = request !== undefined && isMemberOf(tx, caller, request.workspace_id);
  if (!isSeen || ruleOf(tx, requestId, caller.tenant) === undefined) throw missingRule();
  forget(tx, request);
  return { body: {} };
}

function seesRule(reader: StateReader, { caller }: Facts, { internal }: CleanPermissionRuleState): boolean {
  if (internal.tenant !== caller.tenant) return false;
  return internal.workspace_id === null || isMemberOf(reader, caller, internal.workspace_id);
}

const checkPermission: Command<'checkPermission'> = {
  decide({ body }, tx, facts) {
    const session = load(tx, facts.caller, 'session', body.session_id, 'session_id').resource;
    refuseOtherPlace(body, session, tx, facts);
    if (body.actor !== facts.by.actor && !holdsScope(facts.caller, 'admin')) {
      const message = 'actor: what another actor would be granted is for administrators. Send your own.';
      throw new ProtocolError('permission_denied', message, {
        param: 'actor',
        details: { required_scope: 'admin' },
      });
    }
    const target = plainTarget(body.class, body.target);
    const about = { class: body.class, action: body.action, target, risk: riskOf(body) };
    const { workspace_id, persona_id } = session;
    const asker = { session_id: session.id, workspace_id, persona_id, created_by: body.actor };
    const decision = permissionFor(tx, facts, asker, about);
    const id = body.id ?? facts.newId('permission_check');
    recordCheck(
      tx,
      facts,
      { ...body, target, id, workspace_id, tenant_id: facts.by.tenant, risk: about.risk },
      decision,
    );
    return { body: { object: 'permission_decision', request_id: id, decision } };
  },
};

function riskOf({ risk, class: of }: Clean<PermissionCheckRequest>) {
  return risk ?? RISK_OF_CLASS[of];
}

function refuseOtherPlace(
  { workspace_id, tenant_id }: Clean<PermissionCheckRequest>,
  session: Clean<Session>,
  reader: StateReader,
  { caller }: Facts,
): void {
  if (typeof tenant_id === 'string' && tenant_id !== caller.tenant) throw notFound('tenant', 'tenant_id');
  if (typeof workspace_id !== 'string' || workspace_id === session.workspace_id) return;
  loadWorkspace(reader, caller, workspace_id, 'workspace_id');
  const message = 'workspace_id: the session is in another workspace. Leave it out, or name that one.';
  throw new ProtocolError('invalid_request', message, { param: 'workspace_id' });
}

/** Equal checks within a minute are one event: a client that asks again and again fills no disk. */
function recordCheck(
  tx: Transaction,
  facts: Facts,
  { context: _, ...request }: Clean<PermissionCheckRequest> & { workspace_id: CleanText },
  decision: Clean<PermissionDecision>,
): void {
  const { id: _id, requested_at: _at, reason: _why, ...asked } = request;
  const unrecorded = facts.checks.due(tx.time, JSON.stringify([facts.by.actor, asked, decision]));
  if (unrecorded === undefined) return;
  const { workspace_id } = request;
  const pointer = { object: 'workspace', id: workspace_id };
  const payload = { request, decision, unrecorded };
  tx.append(newEvent('vendor.harn_gateway.permission_checked', pointer, { workspace_id }, payload));
}

export const handlers = {
  installPermissionPolicy,
  createPermissionRule,
  revokePermissionRule,
  checkPermission,
  getPermissionPolicy,
  listPermissionRules,
  getPermissionHistory,
} satisfies Partial<Handlers>;
