import { z } from 'zod';
import { AUTONOMY_TIERS, SIDE_EFFECT_CLASSES } from '#protocol/autonomy.ts';

/** What the policy can make of an action that it does not simply allow. */
const BLOCKING_EFFECTS = ['ask', 'withhold', 'refuse'] as const;
export type BlockingEffect = (typeof BLOCKING_EFFECTS)[number];

/**
 * A call that the policy refused before it did anything; in its workspace as far as its caller may see it. Equal ones within a
 * minute are one event.
 */
const callRefused = z.object({
  /** operationId of the call. */
  operation: z.string(),
  code: z.enum(['permission_denied', 'policy_violation', 'rate_limited']),
  /** Id of the rule that refused it; the code where it has none. */
  rule: z.string(),
  /** What the caller got as the reason. */
  message: z.string(),
  param: z.string().nullable(),
  /** Equal calls that were refused since the last event of them, and not recorded. */
  unrecorded: z.int().min(0),
});

/** A Task gave work to a child of its own. */
export const handoff = z.object({
  from_task_id: z.string(),
  from_persona_id: z.string().nullable(),
  /** The child. */
  task_id: z.string(),
  persona_id: z.string().nullable(),
  /** Route of the agent that does it. */
  agent: z.string().nullable(),
});

/** A decision that kept an action back. It holds for this run and its replays, whatever the policy says later. */
const policyDecided = z.object({
  effect: z.enum(BLOCKING_EFFECTS),
  rule: z.string(),
  /** The rule in one sentence. */
  because: z.string(),
  tier: z.enum(AUTONOMY_TIERS),
  side_effect: z.enum(SIDE_EFFECT_CLASSES),
  route: z.string(),
  /** Of the Skill, where the action is a call of one. */
  skill_id: z.string().nullable(),
  tool_call_id: z.string().nullable(),
  /** Over the RFC 8785 form of the arguments as they are kept. */
  input_sha256: z.string().nullable(),
});
export type PolicyDecided = z.infer<typeof policyDecided>;

/** Payloads of what the policy kept back or handed on. */
export const POLICY_EVENTS = {
  'agent.handoff': handoff,
  'vendor.harn_gateway.policy_decided': policyDecided,
  'vendor.harn_gateway.call_refused': callRefused,
} as const;
