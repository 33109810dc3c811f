import { z } from 'zod';
import { AUTONOMY_TIERS } from '#protocol/autonomy.ts';
import { jsonObject, jsonValue } from '#protocol/envelope.ts';
import { reportedUsage } from '#protocol/usage.ts';
import { quotaReservation } from '#resources/quota/schema.ts';
import { personaTerms } from '#resources/receipt/events.ts';
import { replayTerms } from '#resources/replay/schema.ts';
import { failure, task, taskStatus } from './schema.ts';

/** For a Task that was canceled before the agent confirmed: what is known of the agent, in words for a person. */
export const CANCEL_REPORTS = {
  not_reached: 'The agent was not reached and may go on.',
  unanswered: 'The agent did not answer the cancel in time and may go on.',
  refused: 'The agent was reached, did not cancel, and may go on.',
} as const;

const AGENTS = Object.keys(CANCEL_REPORTS) as [
  keyof typeof CANCEL_REPORTS,
  ...(keyof typeof CANCEL_REPORTS)[],
];

/** `because`: why it was not reached; null where nothing is known of it. */
export const cancelReport = z.object({ agent: z.enum(AGENTS), because: z.string().nullable() });
export type CancelReport = z.infer<typeof cancelReport>;

/** What every task lifecycle event says. `checkpoint_id` names this boundary for replay. */
const transition = {
  status: taskStatus,
  previous_status: taskStatus,
  checkpoint_id: z.string(),
  /** The gateway inserted this step because the agent skipped it. */
  synthesized: z.boolean().optional(),
  /** Override key of the recorded frame that caused it. */
  material: z.string().optional(),
  message_id: z.string().optional(),
  /** The permission request that a blocked Task waits for. */
  request_id: z.string().optional(),
  /** Metadata merged into the Task. */
  metadata: jsonObject.optional(),
};

const ended = { ...transition, outcome: z.object({ id: z.string(), summary: z.string() }) };

const span = {
  span_id: z.string(),
  name: z.string(),
  route: z.string(),
};

/** Payloads of the life of a Task and its run. */
export const TASK_EVENTS = {
  'task.submitted': z.object({
    task,
    route: z.string(),
    /** Number of the rules by which its run becomes events (rules.ts); absent: 1. */
    rules: z.int().min(1).optional(),
    /** The agent's own id of the Skill that the task named as its route. */
    skill_id: z.string().optional(),
    message_id: z.string(),
    preceding: z.array(z.string()),
    /** Quotas that the task counts against. */
    quota_ids: z.array(z.string()).optional(),
    /** Amounts reserved from quotas with budgets. */
    quota_reservations: z.array(quotaReservation).optional(),
    persona: personaTerms.optional(),
    /** The tier it was accepted under; absent where it is that of its persona, or act_auto without a persona. */
    tier: z.enum(AUTONOMY_TIERS).optional(),
    /** Set for a replay: what was asked, and of which Task. */
    replay: replayTerms.optional(),
    /** The submission said that nobody is to record its trace; absent where it did not. */
    unsampled: z.literal(true).optional(),
    checkpoint_id: z.string(),
  }),
  'task.started': z.object(transition),
  'task.status_changed': z.object(transition),
  'task.input_required': z.object(transition),
  'task.auth_required': z.object(transition),
  'task.completed': z.object(ended),
  'task.failed': z.object({ ...ended, failure }),
  'task.canceled': z.object({
    ...ended,
    reason: z.string().nullable(),
    /** The gateway canceled it and the agent did not confirm that; absent where it did, or nobody was to be notified. */
    cancel: cancelReport.optional(),
  }),
  'span.started': z.object({ ...span, parent_span_id: z.string() }),
  /** Progress in whatever unit the work counts. */
  'span.updated': z.object({
    ...span,
    progress: z.number().optional(),
    total: z.number().optional(),
    message: z.string().optional(),
  }),
  'span.completed': z.object(span),
  'span.failed': z.object({ ...span, started_at: z.string().nullable(), error: failure }),
  'vendor.harn_gateway.upstream_bound': z.object({
    route: z.string(),
    binding: jsonObject.nullable(),
    session_binding: jsonObject.nullable(),
    /** Override key of the recorded frame that named it. */
    material: z.string().optional(),
  }),
  /** The agent of its route has taken nothing of the Task, so that its fallback does it. */
  'vendor.harn_gateway.task_moved': z.object({
    from: z.string().describe('Route that did not take the Task.'),
    to: z.string().describe('Route that took it.'),
    /** What kept the first one from it, for example `circuit_open` or `refused`. */
    reason: jsonValue,
  }),
  'vendor.harn_gateway.upstream_note': z.object({
    note: z.string(),
    details: jsonObject.optional(),
    material: z.string().optional(),
    metadata: jsonObject.optional(),
    /** What the agent says that the Task used, with the note `usage`. */
    usage: reportedUsage.optional(),
  }),
} as const;

/** A tool call of a task; the hashes are over the RFC 8785 form of what really went to and came from the tool. */
const calledTool = {
  tool_call_id: z.string(),
  name: z.string(),
  /** The MCP server it is a tool of; null for a tool of the agent's own. */
  server: z.string().nullable(),
  material: z.string(),
};

const input_sha256 = z.string();
const output_sha256 = z.string();

/** Payloads of the tool calls of a task. */
export const TOOL_EVENTS = {
  'tool.requested': z.object({
    ...calledTool,
    material: z.string().optional(),
    /** The policy kept it back: nothing was called. */
    withheld: z.literal(true).optional(),
    input: jsonValue,
    input_sha256,
    definition_sha256: z.string().optional(),
    /** What the call may do, in the words of the policy. */
    side_effect: z.string().optional(),
  }),
  'agent.tool_use': z.object({ ...calledTool, input_sha256 }),
  'agent.mcp_tool_use': z.object({ ...calledTool, input_sha256 }),
  'tool.completed': z.object({ ...calledTool, output_sha256 }),
  'tool.failed': z.object({ ...calledTool, output_sha256: output_sha256.optional(), error: failure }),
  'agent.tool_result': z.object({
    ...calledTool,
    status: z.enum(['ok', 'error']),
    output_sha256: output_sha256.optional(),
  }),
  /** A server lists a tool for the first time, otherwise than accepted, or no longer; or the change was accepted. */
  'vendor.harn_gateway.skill_definition': z.object({
    route: z.string(),
    tool: z.string(),
    change: z.enum(['added', 'changed', 'removed', 'accepted']),
    definition_sha256: z.string(),
    pinned_sha256: z.string(),
    definition: jsonObject
      .optional()
      .describe('As it may be shown; left out where it is long. The hash is over the definition as it came.'),
  }),
} as const;
