import { z } from 'zod';
import { jsonObject, listOf, time } from '#protocol/envelope.ts';

/** What kind of thing is to be done. Source: Harn, `PermissionCheckRequest`. */
export const PERMISSION_CLASSES = ['read', 'write', 'exec', 'net', 'llm', 'custom'] as const;
export type PermissionClass = (typeof PERMISSION_CLASSES)[number];

/** Where a rule holds, narrowest first; in this order rules are asked. */
export const RULE_SCOPES = ['session', 'workspace', 'user', 'always'] as const;
export type RuleScope = (typeof RULE_SCOPES)[number];

const PERMISSION_RISKS = ['low', 'medium', 'high', 'critical'] as const;
export type PermissionRisk = (typeof PERMISSION_RISKS)[number];

export const AUDIT_OUTCOMES = ['granted', 'denied', 'escalated'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** What a rule may be matched with; a longer text is matched by none. */
const subject = z.string().min(1).max(20_000);
const pattern = z.string().min(1).max(512);
const words = z.string().max(2_000);
const id = z.string().min(1).max(200);

/** Answers what is asked later. Source: OpenAPI of agents-protocol-2026-10-11, `RememberRule`. */
export const rememberRule = z
  .object({
    id: z.string(),
    tenant_id: z.string().nullable(),
    scope: z.enum(RULE_SCOPES),
    scope_value: z.string().nullable().describe('Session, workspace or actor it holds for; null: everybody.'),
    class: z.enum(PERMISSION_CLASSES),
    action_pattern: z.string(),
    target_pattern: z.string(),
    allow: z.boolean(),
    reason: z.string().nullable(),
    created_at: time,
    created_by: z.string(),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
    actor: z
      .string()
      .nullable()
      .describe('Whose Tasks it answers for: those of whoever made it, null: of everybody. Vendor member.'),
    request_id: z
      .string()
      .nullable()
      .describe(
        'The permission request whose answer it is. One that was answered by an option "always" is about exactly the same question. Vendor member.',
      ),
  })
  .meta({ id: 'RememberRule' });
export type RememberRule = z.infer<typeof rememberRule>;
/** The answer to who made a rule. */
export const madeRule = rememberRule
  .extend({
    overridden_by: z
      .array(z.string())
      .exactOptional()
      .describe(
        'Older rules of the same scope that match all that this one does and answer otherwise: they are asked first. Revoke them, or choose a narrower scope. Vendor member.',
      ),
  })
  .meta({ id: 'MadeRule' });
export const rememberRuleList = listOf(rememberRule);

/** What a caller sends for a rule; `id`, `tenant_id`, `created_at` and `created_by` are the gateway's own, whatever is sent. */
export const createRuleRequest = z
  .strictObject({
    id: z.string().max(200).optional(),
    tenant_id: z
      .string()
      .min(1)
      .max(200)
      .nullish()
      .describe('A rule is of the tenant of whoever makes it, whatever is sent.'),
    scope: z.enum(RULE_SCOPES),
    scope_value: id.nullish(),
    class: z.enum(PERMISSION_CLASSES),
    action_pattern: pattern.describe('Glob over the name of the tool, or what is asked for in one word.'),
    target_pattern: pattern.describe('Glob over the path, command or host; the action where there is none.'),
    allow: z.boolean(),
    reason: words.nullish(),
    created_at: time.optional(),
    created_by: z.string().max(200).optional(),
    expires_at: time.nullish(),
    revoked_at: time.nullish().describe('Null or left out: a new rule holds.'),
  })
  .meta({ id: 'CreateRememberRuleRequest' });
export type CreateRuleRequest = z.infer<typeof createRuleRequest>;

/** Patterns in one list of a policy. */
const MAX_PATTERNS = 256;
/** Characters of one list: what judging one request costs grows with them. */
const MAX_LIST_CHARS = 16_384;
const globs = z
  .array(pattern)
  .max(MAX_PATTERNS)
  .refine(
    (list) => list.reduce((sum, glob) => sum + glob.length, 0) <= MAX_LIST_CHARS,
    `must have at most ${MAX_LIST_CHARS} characters in all`,
  );
const names = z.array(id).max(MAX_PATTERNS);
/** A set: who is named twice is in it once. */
const providers = names.transform((list) => [...new Set(list)]).meta({ uniqueItems: true });
/** More cents than any ceiling. */
const MAX_CENTS = 1e12;

/**
 * What a tenant lets its tasks do without asking. Closed: whoever misspells a member would believe that it holds.
 * Source: OpenAPI of agents-protocol-2026-10-11, `PermissionPolicy`.
 */
export const permissionPolicy = z
  .strictObject({
    read: globs.default([]).describe('Globs over what may be read.'),
    write: globs.default([]).describe('Globs over what may be written.'),
    exec: globs.default([]).describe('Globs over commands that may be run.'),
    net: globs.default([]).describe('Globs over hosts that may be reached.'),
    llm: z
      .strictObject({
        providers: providers.default([]),
        cost_ceiling_usd_cents: z
          .int()
          .min(0)
          .max(MAX_CENTS)
          .nullish()
          .describe('What the runs of one Session may cost, by what their agents report. Enforced.'),
      })
      .prefault({}),
    redact: z
      .strictObject({ transcript: globs.default([]), logs: globs.default([]) })
      .prefault({})
      .describe(
        'Kept and shown, not enforced: what the gateway takes out is its own list of names and patterns.',
      ),
    escalate_to: names
      .default([])
      .describe('Who is to be asked, in this order; told by a check that suspends.'),
  })
  .meta({ id: 'PermissionPolicy' });
export type PermissionPolicy = z.infer<typeof permissionPolicy>;

export const installPolicyRequest = permissionPolicy
  .extend({
    policy: permissionPolicy.optional().describe('The same members in this one, as some clients send them.'),
  })
  .meta({ id: 'InstallPermissionPolicyRequest' });
export type InstallPolicyRequest = z.infer<typeof installPolicyRequest>;

export const permissionPolicyResponse = z
  .object({
    object: z.literal('permission_policy'),
    version: z.string().describe('Hash over the content.'),
    policy: permissionPolicy,
    not_enforced: z.array(z.string()).describe('Members that are kept and have no effect. Vendor member.'),
  })
  .meta({ id: 'PermissionPolicyResponse' });

export const permissionCheckRequest = z
  .strictObject({
    id: id.nullish(),
    tenant_id: z.string().min(1).max(200).nullish(),
    session_id: id,
    workspace_id: id.nullish(),
    actor: id,
    class: z.enum(PERMISSION_CLASSES),
    action: subject,
    target: subject,
    risk: z.enum(PERMISSION_RISKS).nullish(),
    context: jsonObject.optional(),
    reason: words.nullish(),
    requested_at: time.optional(),
  })
  .meta({ id: 'PermissionCheckRequest' });
export type PermissionCheckRequest = z.infer<typeof permissionCheckRequest>;

const decided = {
  scope: z.enum(RULE_SCOPES),
  policy_version: z.string(),
  reason: z.string().nullable(),
  rule_id: z.string().nullable(),
};

/** What is made of a request: granted, denied, or left to whoever is asked. */
export const permissionDecision = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('granted'), ...decided, expires_at: time.nullable() }),
  z.object({ outcome: z.literal('denied'), ...decided }),
  z.object({
    outcome: z.literal('suspend'),
    policy_version: z.string(),
    escalate_to: z.array(z.string()),
    reason: z.string().nullable(),
  }),
]);
export type PermissionDecision = z.infer<typeof permissionDecision>;

export const permissionCheckResponse = z
  .object({
    object: z.literal('permission_decision'),
    request_id: z.string(),
    decision: permissionDecision,
  })
  .meta({ id: 'PermissionCheckResponse' });

/** One answer, whoever gave it. */
const auditEntry = z
  .object({
    request: permissionCheckRequest,
    outcome: z.enum(AUDIT_OUTCOMES),
    scope: z.enum(RULE_SCOPES).nullable(),
    policy_version: z.string(),
    risk: z.enum(PERMISSION_RISKS),
    rule_id: z.string().nullable(),
    reason: z.string().nullable(),
    expires_at: time.nullable(),
    decided_at: time,
    decided_by: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntry>;
export const auditEntryList = listOf(auditEntry);

/** The answer of a rule or of the policy to a question that nobody was asked. */
export interface RuleAnswer {
  approved: boolean;
  /** Null: the policy of the tenant answers. */
  rule_id: string | null;
  policy_version: string;
  /** The permission request that the answer was given to for good; the rule is about exactly its question. */
  remembered_from?: string;
}
