import {
  type PermissionClass,
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRisk,
  type RememberRule,
  RULE_SCOPES,
  type RuleScope,
} from '#resources/permission-rule/schema.ts';
import { compileGlob, type Glob, GlobFault } from './glob.ts';

/** What is to be done, in the words that rules and the policy are about. */
export interface PermissionAbout {
  class: PermissionClass;
  /** The name of the tool, or what is asked for in one word. */
  action: string;
  /** Path, command or host; the action where there is none. */
  target: string;
  /** Further ones of the same call: what is denied for one is denied, and only what is granted for all is granted. */
  others?: readonly string[];
  /** There are more than these. Whoever forbids has to count with what they are, and nobody grants them. */
  hasMore?: boolean;
  risk: PermissionRisk;
}

/** The same about one target, undefined for one that is not known. */
interface Judged extends Pick<PermissionAbout, 'class' | 'action'> {
  target: string | undefined;
}

/** Who wants it, where and when. */
export interface PermissionSubject {
  tenant: string;
  workspaceId: string;
  sessionId: string;
  actor: string;
  /** RFC 3339. */
  time: string;
}

/** What may answer for a subject. */
export interface PermissionTerms {
  rules: readonly RememberRule[];
  /** Rules that were looked up by exactly this question; their patterns only describe it. */
  exact?: ReadonlySet<string>;
  policy: { version: string; document: PermissionPolicy };
  /** Scopes in which the operator lets an answer hold for more than one request. A denial holds in every scope. */
  reach: readonly RuleScope[];
  /** Why nothing wider is granted, for whoever asks. */
  limit: string;
}

export interface PermissionQuestion {
  about: PermissionAbout;
  subject: PermissionSubject;
  terms: PermissionTerms;
}

interface OneQuestion extends Omit<PermissionQuestion, 'about'> {
  about: Judged;
  globs: Globs;
}

type Step = (question: OneQuestion) => PermissionDecision | undefined;

/**
 * What answers a permission, in order: the first that decides, decides. Within a scope the older rule comes first, whether it
 * allows or denies.
 */
const PERMISSION_STEPS: readonly (readonly [name: string, step: Step])[] = [
  ...RULE_SCOPES.map((scope): [string, Step] => [`rules.${scope}`, (question) => byRules(question, scope)]),
  ['policy', byPolicy],
];

/** What rules and policy make of it; `suspend` leaves it to whoever is asked. */
export function decidePermission({ about, ...question }: PermissionQuestion): PermissionDecision {
  const { others = [], hasMore = false } = about;
  const globs = new Globs();
  const decideOne = (target: string | undefined) =>
    decideOnTarget({ ...question, about: { ...about, target }, globs });
  const first = decideOne(about.target);
  if (others.length === 0 && !hasMore) return first;
  const all = [first, ...others.map(decideOne), ...(hasMore ? [decideOne(undefined)] : [])];
  const of = (wanted: PermissionDecision['outcome']) => all.find(({ outcome }) => outcome === wanted);
  return of('denied') ?? of('suspend') ?? first;
}

function decideOnTarget(question: OneQuestion): PermissionDecision {
  for (const [, step] of PERMISSION_STEPS) {
    const decision = step(question);
    if (decision !== undefined) return decision;
  }
  const { policy, limit } = question.terms;
  const { escalate_to } = policy.document;
  return {
    outcome: 'suspend',
    policy_version: policy.version,
    escalate_to: escalate_to.length === 0 ? ['user'] : [...escalate_to],
    reason: isHeldBack(question) ? limit : null,
  };
}

/** Whether a scope is one in which the operator lets something be granted. */
export function reaches({ reach }: Pick<PermissionTerms, 'reach'>, scope: RuleScope): boolean {
  return reach.includes(scope);
}

function byRules(question: OneQuestion, scope: RuleScope): PermissionDecision | undefined {
  const { terms } = question;
  const rule = inOrder(terms.rules, scope).find(
    (rule) => (!rule.allow || reaches(terms, scope)) && matches(rule, question),
  );
  if (rule === undefined) return undefined;
  const decided = { scope, policy_version: terms.policy.version, reason: rule.reason, rule_id: rule.id };
  if (!rule.allow) return { outcome: 'denied', ...decided };
  return { outcome: 'granted', ...decided, expires_at: rule.expires_at };
}

function inOrder(rules: readonly RememberRule[], scope: RuleScope): RememberRule[] {
  const age = ({ created_at, id }: RememberRule) => `${created_at} ${id}`;
  return rules.filter((rule) => rule.scope === scope).sort((one, other) => (age(one) < age(other) ? -1 : 1));
}

/** The policy of a tenant grants where nothing wider than a workspace is asked of the operator. */
function byPolicy(question: OneQuestion): PermissionDecision | undefined {
  const { terms } = question;
  if (!reaches(terms, POLICY_SCOPE) || !isGranted(question)) return undefined;
  const { version: policy_version } = terms.policy;
  return {
    outcome: 'granted',
    scope: POLICY_SCOPE,
    policy_version,
    reason: null,
    rule_id: null,
    expires_at: null,
  };
}

const POLICY_SCOPE: RuleScope = 'workspace';

function isGranted({ about, terms, globs }: OneQuestion): boolean {
  const { document } = terms.policy;
  const { target } = about;
  if (target === undefined) return false;
  if (about.class === 'custom') return false;
  if (about.class === 'llm') return document.llm.providers.includes(target);
  return document[about.class].some((glob) => globs.matches(glob, target));
}

/** Something would answer, and the operator does not let it. */
function isHeldBack(question: OneQuestion): boolean {
  const { terms } = question;
  if (!reaches(terms, POLICY_SCOPE) && isGranted(question)) return true;
  return terms.rules.some((rule) => !reaches(terms, rule.scope) && matches(rule, question));
}

/** A rule counts where it was made for, as long as it holds, and for whom. */
function isInForce(rule: RememberRule, subject: PermissionSubject): boolean {
  if (rule.revoked_at !== null || (rule.expires_at !== null && rule.expires_at <= subject.time)) return false;
  if (rule.tenant_id !== subject.tenant) return false;
  if (rule.actor !== null && rule.actor !== subject.actor) return false;
  return rule.scope === 'always' || rule.scope_value === VALUE_OF[rule.scope](subject);
}

const VALUE_OF = {
  session: ({ sessionId }) => sessionId,
  workspace: ({ workspaceId }) => workspaceId,
  user: ({ actor }) => actor,
} as const satisfies Record<Exclude<RuleScope, 'always'>, (subject: PermissionSubject) => string>;

function matches(rule: RememberRule, { about, subject, terms, globs }: OneQuestion): boolean {
  if (!isInForce(rule, subject)) return false;
  if (terms.exact?.has(rule.id)) return true;
  if (rule.class !== about.class) return false;
  // Nobody gets around a denial by making what is asked for too long.
  const fits = (pattern: string, text: string) =>
    rule.allow ? globs.matches(pattern, text) : globs.mayMatch(pattern, text);
  if (!fits(rule.action_pattern, about.action)) return false;
  return about.target === undefined ? !rule.allow : fits(rule.target_pattern, about.target);
}

type Patterns = Pick<RememberRule, 'class' | 'action_pattern' | 'target_pattern' | 'actor'>;

/** Whether a rule matches all that another one of its scope does, as far as that shows in its patterns. */
export function isCoveredBy(rule: Patterns, older: Patterns): boolean {
  const globs = new Globs();
  return (
    rule.class === older.class &&
    (older.actor === null || older.actor === rule.actor) &&
    globs.matches(older.action_pattern, rule.action_pattern) &&
    globs.matches(older.target_pattern, rule.target_pattern)
  );
}

/** The globs of one question, each compiled once. One that does not read, which nothing here keeps, matches nothing. */
class Globs {
  readonly #compiled = new Map<string, Glob | undefined>();

  matches(pattern: string, text: string): boolean {
    return this.#of(pattern)?.matches(text) ?? false;
  }

  mayMatch(pattern: string, text: string): boolean {
    return this.#of(pattern)?.mayMatch(text) ?? false;
  }

  #of(pattern: string): Glob | undefined {
    if (!this.#compiled.has(pattern)) this.#compiled.set(pattern, compiled(pattern));
    return this.#compiled.get(pattern);
  }
}

function compiled(pattern: string): Glob | undefined {
  try {
    return compileGlob(pattern);
  } catch (error) {
    if (error instanceof GlobFault) return undefined;
    throw error;
  }
}

/** The risk of what says none. */
export const RISK_OF_CLASS = {
  read: 'low',
  net: 'medium',
  llm: 'medium',
  write: 'high',
  exec: 'high',
  custom: 'high',
} as const satisfies Record<PermissionClass, PermissionRisk>;
