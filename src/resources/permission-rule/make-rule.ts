import { expiryOf } from '#core/expiry.ts';
import type { DecisionTools, Facts } from '#core/facts.ts';
import { load, loadWorkspace, notFound } from '#core/load.ts';
import { newEvent, type Place } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { holdsScope } from '#policy/access.ts';
import { checkGlob, GlobFault } from '#policy/glob.ts';
import { AUTONOMY_TIERS } from '#protocol/autonomy.ts';
import type { Clean, CleanText } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { REACH, rememberScope } from '#resources/permission/remembered-permission.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import type { Task } from '#resources/task/schema.ts';
import { hasSecret } from './about.ts';
import { hasExpired, ownerOfRule, rulesOf } from './fold.ts';
import type { CreateRuleRequest, RememberRule, RuleScope } from './schema.ts';

/** Rules of one Session, Workspace or actor, or of a tenant, that hold at a time. */
const MAX_RULES = 100;
/** Characters of all their patterns: what judging one request costs grows with them. */
const MAX_CHARS = 8_192;

/** What a rule is to say; patterns as they came. */
export type RuleTerms = Pick<
  Clean<CreateRuleRequest>,
  'scope' | 'scope_value' | 'class' | 'action_pattern' | 'target_pattern' | 'allow' | 'reason' | 'expires_at'
>;

/** Where a rule holds. */
interface Holder {
  value: CleanText | null;
  /** Of a rule of a Session or a Workspace. */
  workspaceId: CleanText | null;
}

/** The request whose answer becomes a rule; it holds for the tasks of whoever gave it. */
interface Answered {
  requestId: CleanText;
  task: Clean<Task>;
}

/**
 * Makes a rule and returns it. Throws for patterns that are no globs, for what the caller may not make, for what the operator lets
 * nobody make (422), and when there are too many (409).
 */
export function makeRule(
  tx: Transaction,
  facts: Facts,
  terms: RuleTerms,
  answered?: Answered,
): Clean<RememberRule> {
  refuseFaults(terms);
  if (hasSecret({ action: terms.action_pattern, target: terms.target_pattern })) throw holdsSecret();
  const holder = HOLDERS[terms.scope](terms, tx, facts, answered);
  refuseBeyondOperator(tx, facts, terms, { ...holder, ...answered });
  const isAdmin = holdsScope(facts.caller, 'admin');
  const rule: Clean<RememberRule> = {
    id: facts.newId('rule'),
    tenant_id: facts.by.tenant,
    scope: terms.scope,
    scope_value: holder.value,
    class: terms.class,
    action_pattern: terms.action_pattern,
    target_pattern: terms.target_pattern,
    allow: terms.allow,
    reason: terms.reason ?? null,
    created_at: tx.time,
    created_by: facts.by.actor,
    expires_at: expiryIn(terms, tx.time),
    revoked_at: null,
    actor: answered?.task.created_by ?? (isAdmin ? null : facts.by.actor),
    request_id: answered?.requestId ?? null,
  };
  refuseTooMany(tx, rule);
  const { tenant } = facts.by;
  const pointer = { object: 'permission_rule', id: rule.id };
  const payload = { rule, tenant, workspace_id: holder.workspaceId };
  const place = placeOf(holder.workspaceId, tenant);
  tx.append(newEvent('vendor.harn_gateway.permission_rule_created', pointer, place, payload));
  // What waits already is answered too.
  tx.afterCommit(() => facts.runs.answerOpen());
  return rule;
}

export function placeOf(workspaceId: CleanText | null, tenant: CleanText): Place {
  return workspaceId === null ? { tenant_id: tenant } : { workspace_id: workspaceId };
}

/** All patterns at once, each with its path; undefined for what is a glob. */
function globFault(pattern: string): string | undefined {
  try {
    checkGlob(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof GlobFault) return `is no glob: it ${error.message}`;
    throw error;
  }
}

/** Fails once, with every fault. */
export function refuseGlobs(patterns: readonly { param: string; pattern: string }[]): void {
  const faults = patterns.flatMap(({ param, pattern }) => {
    const message = globFault(pattern);
    return message === undefined ? [] : [{ param, message }];
  });
  const [first] = faults;
  if (first === undefined) return;
  throw new ProtocolError('invalid_request', `${first.param}: ${first.message}.`, {
    param: first.param,
    details: faults.length > 1 ? { faults: faults.slice(0, MAX_LISTED) } : {},
  });
}

/** Faults listed in the details of one refusal. */
const MAX_LISTED = 20;

function refuseFaults({ action_pattern, target_pattern }: RuleTerms): void {
  refuseGlobs([
    { param: 'action_pattern', pattern: action_pattern },
    { param: 'target_pattern', pattern: target_pattern },
  ]);
}

function holdsSecret(): ProtocolError {
  const message =
    'A rule holds no secrets: what they hide, nobody can see in it. Use a pattern without them.';
  return new ProtocolError('invalid_request', message, { param: 'target_pattern' });
}

type FindHolder = (terms: RuleTerms, reader: StateReader, facts: Facts, answered?: Answered) => Holder;

/** Whom each scope is for, and who may make a rule there. */
const HOLDERS: { readonly [Scope in RuleScope]: FindHolder } = {
  session({ scope_value }, reader, { caller }) {
    const { resource } = load(reader, caller, 'session', named(scope_value, 'session'), 'scope_value');
    if (resource.state === 'CLOSED')
      throw new ProtocolError('conflict', 'The session is closed. Nothing is asked there any more.', {
        param: 'scope_value',
      });
    return { value: resource.id, workspaceId: resource.workspace_id };
  },
  workspace({ scope_value }, reader, facts, answered) {
    const { id } = loadWorkspace(
      reader,
      facts.caller,
      named(scope_value, 'workspace'),
      'scope_value',
    ).resource;
    if (answered === undefined) refuseWithoutAdmin(facts, 'A rule of a workspace is for all who work there.');
    return { value: id, workspaceId: id };
  },
  user({ scope_value }, _reader, facts) {
    const actor = scope_value ?? facts.by.actor;
    if (actor !== facts.by.actor) refuseWithoutAdmin(facts, 'The rule is for somebody else.');
    return { value: actor, workspaceId: null };
  },
  always({ scope_value }, _reader, facts) {
    if (typeof scope_value === 'string') {
      const message = 'scope_value: a rule of scope always is for everybody of your tenant. Leave it out.';
      throw new ProtocolError('invalid_request', message, { param: 'scope_value' });
    }
    refuseWithoutAdmin(facts, 'A rule of scope always is for everybody of the tenant.');
    return { value: null, workspaceId: null };
  },
};

function named(value: CleanText | null | undefined, what: string): CleanText {
  if (typeof value === 'string') return value;
  const message = `scope_value: a rule of scope ${what} names its ${what}. Send its id.`;
  throw new ProtocolError('invalid_request', message, { param: 'scope_value' });
}

export function refuseWithoutAdmin({ caller }: Pick<Facts, 'caller'>, why: string): void {
  if (holdsScope(caller, 'admin')) return;
  throw new ProtocolError('permission_denied', `${why} Ask an administrator, or make one for yourself.`, {
    details: { required_scope: 'admin' },
  });
}

/** What may be granted without asking is the operator's to say; what is denied narrows it, and needs nobody. */
function refuseBeyondOperator(
  reader: StateReader,
  tools: DecisionTools,
  { allow, scope }: RuleTerms,
  holder: Holder & Partial<Answered>,
): void {
  const reach = reachOf(reader, tools, scope, holder);
  if (!allow || reach.includes(scope)) return;
  const instead =
    reach.length === 0
      ? 'Answer each request'
      : `Choose the scope ${[...new Set(reach)].join(' or ')}, answer each request`;
  const message = `scope: the operator lets no answer hold in the scope ${scope} here (policy.remember, policy.approvals). ${instead}, or ask your operator.`;
  throw new ProtocolError('policy_violation', message, {
    param: 'scope',
    details: { rule: 'policy.remember' },
  });
}

/** By the tier of the Task or of the Session; elsewhere a rule can be of use to the tasks of any tier. */
function reachOf(
  reader: StateReader,
  tools: DecisionTools,
  scope: RuleScope,
  { value, workspaceId, task }: Holder & Partial<Answered>,
): readonly RuleScope[] {
  if (task !== undefined) return REACH[rememberScope(tools, reader, task)];
  if (scope === 'session' && value !== null && workspaceId !== null) {
    const persona_id = reader.get<CleanSessionFold>(sessionKeys.session(value))?.resource.persona_id ?? null;
    const place = { persona_id, workspace_id: workspaceId, session_id: value };
    return REACH[rememberScope(tools, reader, place)];
  }
  const { quorum, fourEyes } = tools.approvals.termsOf(workspaceId ?? '');
  if (quorum > 1 || fourEyes) return [];
  return AUTONOMY_TIERS.flatMap((tier) => [...REACH[tools.self.policy.remember[tier]]]);
}

function expiryIn({ expires_at }: RuleTerms, now: string): CleanText | null {
  if (typeof expires_at !== 'string') return null;
  const expiry = expiryOf({ expires_at }, 'expires_at');
  if (expiry !== null && expiry > now) return expiry;
  throw new ProtocolError('invalid_request', 'expires_at: has passed. Name a time that is to come.', {
    param: 'expires_at',
  });
}

function refuseTooMany(reader: StateReader, rule: RememberRule): void {
  const others = rulesOf(reader, ownerOfRule(rule))
    .map(({ resource }) => resource)
    .filter((other) => !hasExpired(other, rule.created_at));
  const chars = [...others, rule].reduce(
    (sum, { action_pattern, target_pattern }) => sum + action_pattern.length + target_pattern.length,
    0,
  );
  if (others.length < MAX_RULES && chars <= MAX_CHARS) return;
  const message = `There are ${others.length} rules in this scope, and ${MAX_RULES} or ${MAX_CHARS} characters of patterns are the most. Revoke one, or make one that covers several.`;
  throw new ProtocolError('conflict', message, { details: { rules: others.length, max_rules: MAX_RULES } });
}

/** A rule that the caller may see; what was revoked is absent. */
export function missingRule(): ProtocolError {
  return notFound('rule', 'rule_id');
}
