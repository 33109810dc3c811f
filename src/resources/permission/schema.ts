import { z } from 'zod';
import { envelope, jsonValue, metadata, time } from '#protocol/envelope.ts';
import { PERMISSION_CLASSES, RULE_SCOPES } from '#resources/permission-rule/schema.ts';
import { sha256 } from '#resources/receipt/parts-schema.ts';

export const PERMISSION_STATUSES = ['pending', 'approved', 'denied'] as const;
const PERMISSION_SOURCES = ['acp', 'hitl'] as const;
const PERMISSION_KINDS = ['authorization', 'elicitation', 'tool'] as const;
export type PermissionKind = (typeof PERMISSION_KINDS)[number];

/** What choosing an option decides. Source: Agent Client Protocol, `session/request_permission`. */
export const OPTION_APPROVES = {
  allow_once: true,
  allow_always: true,
  reject_once: false,
  reject_always: false,
} as const satisfies Record<string, boolean>;
export type OptionKind = keyof typeof OPTION_APPROVES;

/** How far an answer for good holds: for its own request alone, in its Session or its Workspace, for its actor, or everywhere. */
export const REMEMBER_SCOPES = ['never', ...RULE_SCOPES] as const;
export type RememberScope = (typeof REMEMBER_SCOPES)[number];

const permissionOption = z
  .object({
    option_id: z.string(),
    name: z.string(),
    kind: z.enum(Object.keys(OPTION_APPROVES) as OptionKind[]),
  })
  .meta({ id: 'PermissionOption' });
export type PermissionOption = z.infer<typeof permissionOption>;

const permissionToolCall = z
  .object({
    tool_call_id: z.string(),
    name: z.string(),
    input: jsonValue.optional(),
    /** Hash of the arguments: an approval covers a call with these and no other. */
    input_sha256: sha256.optional(),
  })
  .meta({ id: 'PermissionToolCall' });
export type PermissionToolCall = z.infer<typeof permissionToolCall>;

const ruleWords = { rule_id: z.string().nullable(), policy_version: z.string() };

/** What is asked. An elicitation wants an answer, the other kinds a decision. */
const permissionQuestion = z
  .object({
    kind: z.enum(PERMISSION_KINDS),
    message: z.string(),
    options: z.array(permissionOption),
    /** Message of the agent that asks. */
    message_id: z.string().optional(),
    tool_call: permissionToolCall.optional(),
    /** JSON Schema of the answer. */
    requested_schema: jsonValue.optional(),
    /** Page on which a person goes on. */
    url: z.string().optional(),
    /** How many have to approve, and whether whoever submitted the Task may be one of them. Absent: one, who may. */
    approvals: z
      .object({
        quorum: z.int().min(1),
        four_eyes: z.boolean(),
        /** Who has approved so far. */
        approved_by: z.array(z.string()),
      })
      .optional(),
    /** Denied with the reason `timeout` when nobody has answered by then. */
    expires_at: time.optional(),
    /** Nobody was asked: the answer is the one that this earlier request got for good. */
    remembered_from: z.string().optional(),
    /** Nobody was asked: this rule answered, or the policy of the tenant, where it is null. */
    answered_by: z.object(ruleWords).optional(),
  })
  .meta({ id: 'PermissionQuestion' });
export type PermissionQuestion = z.infer<typeof permissionQuestion>;

/** Whether the answer was known before anybody was asked. */
export function isAnsweredAlready({
  remembered_from,
  answered_by,
}: Pick<PermissionQuestion, 'remembered_from' | 'answered_by'>): boolean {
  return remembered_from !== undefined || answered_by !== undefined;
}

export const permissionResponse = z
  .object({
    approved: z.boolean(),
    option_id: z.string().nullable(),
    answer: jsonValue.nullable(),
    /** Message that carries the answer in the transcript. */
    message_id: z.string().nullable(),
    reviewer: z.string().nullable(),
    reason: z.string().nullable(),
    responded_at: time,
    /** It was also to answer what the same agent asks of the same in other tasks of whoever gave it, until it is forgotten. */
    remembered: z.enum(REMEMBER_SCOPES).exclude(['never']).optional(),
    /** The rule that it became. */
    remembered_as: z.string().optional(),
    /** The rule that answered; null: the policy of the tenant did. Absent where somebody, or nobody, answered. */
    rule_id: ruleWords.rule_id.optional(),
    /** The policy that was in force; absent where none was installed and no rule answered. */
    policy_version: ruleWords.policy_version.optional(),
    metadata,
  })
  .meta({ id: 'PermissionResponse' });
export type PermissionResponse = z.infer<typeof permissionResponse>;

/** One thing a Task waits for somebody to allow or to answer. Source: OpenAPI, `PermissionRequest`. */
export const permissionRequest = envelope('permission_request', {
  workspace_id: z.string(),
  session_id: z.string().nullable(),
  task_id: z.string().nullable(),
  status: z.enum(PERMISSION_STATUSES),
  source: z.enum(PERMISSION_SOURCES),
  action: jsonValue,
  request: permissionQuestion,
  response: permissionResponse.nullable(),
}).meta({ id: 'PermissionRequest' });
export type PermissionRequest = z.infer<typeof permissionRequest>;

/** What each word of `outcome` decides; `selected` leaves it to the chosen option, and without one approves. */
export const OUTCOME_APPROVES = {
  approved: true,
  approve: true,
  selected: 'option',
  denied: false,
  deny: false,
  rejected: false,
} as const satisfies Record<string, boolean | 'option'>;
export type OutcomeWord = keyof typeof OUTCOME_APPROVES;

const decision = {
  approved: z.boolean().optional(),
  outcome: z.enum(Object.keys(OUTCOME_APPROVES) as OutcomeWord[]).optional(),
  answer: jsonValue.optional(),
  reviewer: z.string().max(200).nullable().optional(),
  reason: z.string().max(2000).nullable().optional(),
  metadata: metadata.optional(),
  input_sha256: sha256
    .optional()
    .describe('Hash of the arguments that were decided on; 409 when the request is about others.'),
};

const glob = z.string().min(1).max(512);

/** Source: OpenAPI, `PermissionResponseRequest`. `answer` is a text, `{option_id}`, `{text}`, `{parts}` or any JSON. */
export const permissionResponseRequest = z
  .object({
    ...decision,
    remember: z
      .boolean()
      .nullish()
      .describe('The answer becomes a rule for what is asked later; the members below say which.'),
    scope: z.enum(RULE_SCOPES).nullish().describe('Where it holds. Default: session.'),
    expires_at: time.nullish().describe('Until when it holds. Default: for good.'),
    action_pattern: glob.nullish().describe('Glob over the action. Default: the action of this request.'),
    target_pattern: glob.nullish().describe('Glob over the target. Default: the target of this request.'),
    class: z.enum(PERMISSION_CLASSES).nullish().describe('Default: the class of this request.'),
  })
  .meta({ id: 'PermissionResponseRequest' });
export type PermissionResponseRequest = z.infer<typeof permissionResponseRequest>;

/** The json part of a task message of kind tool_confirmation: a decision, and which request it is about. */
export const toolConfirmation = z.object({
  ...decision,
  option_id: z.string().optional(),
  request_id: z.string().optional(),
  tool_call_id: z.string().optional(),
});
export type ToolConfirmation = z.infer<typeof toolConfirmation>;
