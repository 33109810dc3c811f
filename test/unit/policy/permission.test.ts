import { describe, expect, it } from 'vitest';
import { decidePermission, type PermissionAbout, type PermissionTerms } from '#policy/permission.ts';
import {
  type PermissionPolicy,
  permissionPolicy,
  type RememberRule,
  type RuleScope,
} from '#resources/permission-rule/schema.ts';

const SUBJECT = {
  tenant: 't1',
  workspaceId: 'workspace_1',
  sessionId: 'session_1',
  actor: 'ada',
  time: '2026-11-23T12:00:00.000Z',
};
const VALUES = { session: 'session_1', workspace: 'workspace_1', user: 'ada', always: null };
const ABOUT: PermissionAbout = {
  class: 'write',
  action: 'files__write_file',
  target: 'src/main.ts',
  risk: 'high',
};

/** A rule that matches ABOUT by its patterns. `at` is its age: the smaller, the older. */
function rule(
  id: string,
  scope: RuleScope,
  allow: boolean,
  more: Partial<RememberRule> & { at?: number } = {},
) {
  const { at = 0, ...members } = more;
  return {
    id,
    tenant_id: 't1',
    scope,
    scope_value: VALUES[scope],
    class: 'write',
    action_pattern: 'files__*',
    target_pattern: 'src/**',
    allow,
    reason: null,
    created_at: `2026-11-23T11:00:0${at}.000Z`,
    created_by: 'ada',
    expires_at: null,
    revoked_at: null,
    actor: null,
    request_id: null,
    ...members,
  } satisfies RememberRule;
}

interface Case {
  rules?: RememberRule[];
  policy?: Partial<PermissionPolicy>;
  reach?: readonly RuleScope[];
  about?: Partial<PermissionAbout>;
  exact?: string[];
}

const ALL: readonly RuleScope[] = ['session', 'workspace', 'user', 'always'];

function decide({ rules = [], policy = {}, reach = ALL, about = {}, exact = [] }: Case) {
  const terms: PermissionTerms = {
    rules,
    policy: { version: 'policy-1', document: permissionPolicy.parse(policy) },
    reach,
    exact: new Set(exact),
    limit: 'the operator',
  };
  return decidePermission({ about: { ...ABOUT, ...about }, subject: SUBJECT, terms });
}

/** What came out, in one word: by which rule, or by the policy. */
function told(given: Case): string {
  const decision = decide(given);
  if (decision.outcome === 'suspend') return `suspend ${decision.reason ?? ''}`.trim();
  return `${decision.outcome} ${decision.scope} ${decision.rule_id ?? 'policy'}`;
}

describe('the order of rules and policy', () => {
  it.each<[string, Case, string]>([
    ['nothing: whoever is asked decides', {}, 'suspend'],
    ['a rule that allows', { rules: [rule('r', 'session', true)] }, 'granted session r'],
    ['a rule that denies', { rules: [rule('r', 'always', false)] }, 'denied always r'],
    [
      'what is too long to be looked at whole: a denial holds where its beginning fits, and nothing allows it',
      {
        about: { target: `src/${'a'.repeat(5_000)}` },
        rules: [rule('old', 'session', true), rule('deny', 'session', false, { at: 1 })],
        policy: { write: ['**'] },
      },
      'denied session deny',
    ],
    [
      'several targets: what is granted for all of them is granted',
      { about: { others: ['src/b.ts'] }, rules: [rule('r', 'session', true)] },
      'granted session r',
    ],
    [
      'and what is not for one of them is asked',
      { about: { others: ['src/b.ts', '/etc/passwd'] }, rules: [rule('r', 'session', true)] },
      'suspend',
    ],
    [
      'and what is denied for one of them is denied',
      {
        about: { others: ['src/b.ts', '/etc/passwd'] },
        rules: [rule('r', 'session', true), rule('d', 'always', false, { target_pattern: '/etc/**' })],
      },
      'denied always d',
    ],
    [
      'more targets than are named: nobody grants them',
      { about: { hasMore: true }, rules: [rule('r', 'session', true)], policy: { write: ['**'] } },
      'suspend',
    ],
    [
      'and a denial about any target of the call holds',
      {
        about: { hasMore: true },
        rules: [rule('r', 'session', true), rule('d', 'always', false, { target_pattern: '/etc/**' })],
      },
      'denied always d',
    ],
    [
      'but not one about another call',
      { about: { hasMore: true }, rules: [rule('d', 'always', false, { action_pattern: 'shell' })] },
      'suspend',
    ],
    [
      'and does not where it begins otherwise',
      { about: { target: `lib/${'a'.repeat(5_000)}` }, rules: [rule('r', 'session', false)] },
      'suspend',
    ],
    [
      'session before workspace before user before always',
      {
        rules: [
          rule('a', 'always', false),
          rule('u', 'user', false),
          rule('w', 'workspace', false),
          rule('s', 'session', true, { at: 9 }),
        ],
      },
      'granted session s',
    ],
    [
      'workspace before user',
      { rules: [rule('u', 'user', false), rule('w', 'workspace', true)] },
      'granted workspace w',
    ],
    [
      'user before always',
      { rules: [rule('a', 'always', false), rule('u', 'user', true)] },
      'granted user u',
    ],
    [
      'within a scope the older one, although the other denies',
      { rules: [rule('new', 'session', false, { at: 2 }), rule('old', 'session', true, { at: 1 })] },
      'granted session old',
    ],
    [
      'within a scope the older one, although the other allows',
      { rules: [rule('new', 'session', true, { at: 2 }), rule('old', 'session', false, { at: 1 })] },
      'denied session old',
    ],
    [
      'a rule before the policy',
      { rules: [rule('a', 'always', false)], policy: { write: ['**'] } },
      'denied always a',
    ],
    ['the policy where no rule matches', { policy: { write: ['src/**'] } }, 'granted workspace policy'],
    ['the policy of another class', { policy: { read: ['**'], exec: ['**'], net: ['**'] } }, 'suspend'],
    ['the policy with another target', { policy: { write: ['test/**'] } }, 'suspend'],
    [
      'a provider that is listed',
      {
        about: { class: 'llm', target: 'openai' },
        policy: { llm: { providers: ['openai'] } },
      },
      'granted workspace policy',
    ],
    [
      'a provider is no glob',
      { about: { class: 'llm', target: 'openai' }, policy: { llm: { providers: ['*'] } } },
      'suspend',
    ],
    [
      'what is custom is granted by no policy',
      { about: { class: 'custom' }, policy: { read: ['**'], write: ['**'], exec: ['**'], net: ['**'] } },
      'suspend',
    ],
    // What makes a rule match.
    ['a rule of another class', { rules: [rule('r', 'session', true, { class: 'exec' })] }, 'suspend'],
    ['another action', { rules: [rule('r', 'session', true, { action_pattern: 'shell' })] }, 'suspend'],
    ['another target', { rules: [rule('r', 'session', true, { target_pattern: 'src' })] }, 'suspend'],
    [
      'a glob that does not read',
      { rules: [rule('r', 'session', true, { target_pattern: '[' })] },
      'suspend',
    ],
    [
      'a rule that was revoked',
      { rules: [rule('r', 'session', false, { revoked_at: '2026-11-23T11:30:00.000Z' })] },
      'suspend',
    ],
    [
      'a rule that has expired, to the millisecond',
      { rules: [rule('r', 'session', false, { expires_at: SUBJECT.time })] },
      'suspend',
    ],
    [
      'a rule that expires later',
      { rules: [rule('r', 'session', true, { expires_at: '2026-11-23T12:00:00.001Z' })] },
      'granted session r',
    ],
    ['a rule of another tenant', { rules: [rule('r', 'always', false, { tenant_id: 't2' })] }, 'suspend'],
    ['a rule of no tenant', { rules: [rule('r', 'always', false, { tenant_id: null })] }, 'suspend'],
    [
      'a rule of another session',
      { rules: [rule('r', 'session', false, { scope_value: 'session_2' })] },
      'suspend',
    ],
    [
      'a rule of another workspace',
      { rules: [rule('r', 'workspace', false, { scope_value: 'workspace_2' })] },
      'suspend',
    ],
    ['a rule of another user', { rules: [rule('r', 'user', false, { scope_value: 'bob' })] }, 'suspend'],
    [
      'a rule for the tasks of somebody else',
      { rules: [rule('r', 'session', true, { actor: 'bob' })] },
      'suspend',
    ],
    [
      'a rule for the own tasks',
      { rules: [rule('r', 'session', true, { actor: 'ada' })] },
      'granted session r',
    ],
    [
      'a rule that was looked up by exactly this question',
      { rules: [rule('r', 'session', true, { class: 'exec', target_pattern: '-' })], exact: ['r'] },
      'granted session r',
    ],
    // What the operator lets be granted without asking.
    ['reach: never', { reach: [], rules: [rule('r', 'session', true)] }, 'suspend the operator'],
    [
      'reach: a session only',
      { reach: ['session'], rules: [rule('w', 'workspace', true), rule('s', 'session', true)] },
      'granted session s',
    ],
    [
      'reach: a wider rule is passed over, and the next one decides',
      { reach: ['session'], rules: [rule('w', 'workspace', true), rule('a', 'always', false)] },
      'denied always a',
    ],
    [
      'reach: a denial holds in every scope',
      { reach: [], rules: [rule('a', 'always', false)] },
      'denied always a',
    ],
    [
      'reach: the policy is as wide as a workspace',
      { reach: ['session'], policy: { write: ['**'] } },
      'suspend the operator',
    ],
    [
      'reach: the policy within it',
      { reach: ['session', 'workspace'], policy: { write: ['**'] } },
      'granted workspace policy',
    ],
  ])('%s', (_, given, expected) => {
    expect(told(given)).toBe(expected);
  });

  it('says by which rule, which policy was in force, and until when', () => {
    const expires_at = '2026-11-24T00:00:00.000Z';
    expect(decide({ rules: [rule('r', 'user', true, { expires_at, reason: 'as agreed' })] })).toEqual({
      outcome: 'granted',
      scope: 'user',
      policy_version: 'policy-1',
      reason: 'as agreed',
      rule_id: 'r',
      expires_at,
    });
    expect(decide({ rules: [rule('r', 'user', false)] })).toEqual({
      outcome: 'denied',
      scope: 'user',
      policy_version: 'policy-1',
      reason: null,
      rule_id: 'r',
    });
  });

  it('leaves what nothing decides to whom the policy names, else to the user', () => {
    expect(decide({})).toMatchObject({ outcome: 'suspend', escalate_to: ['user'] });
    expect(decide({ policy: { escalate_to: ['ops', 'user'] } })).toMatchObject({
      escalate_to: ['ops', 'user'],
    });
  });
});
