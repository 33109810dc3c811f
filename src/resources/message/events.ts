import { z } from 'zod';
import { jsonObject } from '#protocol/envelope.ts';
import { message, part, visibility } from './schema.ts';

/** Payloads of Messages, and of what people say in other ways. */
export const MESSAGE_EVENTS = {
  'user.message': z.object({
    message,
    /** Secrets were replaced; the original is kept encrypted until it is sent. */
    sealed: z.boolean().optional(),
    /** Hash of what the caller sent; the receipt of the task names it. */
    redaction_proof: z.string().optional(),
  }),
  'agent.message': z.object({
    message,
    /** As in `user.message`; only what a caller appends in the agent's name has an original to send. */
    sealed: z.boolean().optional(),
    upstream_message_id: z.string().optional(),
    material: z.string().optional(),
    /** The agent said it together with a move of the Task, whose event follows and names this message. */
    move_follows: z.boolean().optional(),
  }),
  'session.message_appended': z.object({
    message_id: z.string(),
    role: z.string(),
    position: z.int().min(0),
    /** True when it waits for the next task input. */
    pending: z.boolean(),
    /** Inlined for roles that have no message event of their own. */
    message: message.optional(),
    /** As in `user.message`, for the inlined one. */
    sealed: z.boolean().optional(),
  }),
  'user.input_submitted': z.object({
    message_id: z.string(),
    kind: z.enum(['input', 'interrupt']),
    /** Messages that its agent has not taken yet, sent before it. */
    preceding: z.array(z.string()).optional(),
  }),
  'user.tool_confirmation': z.object({
    request_id: z.string(),
    tool_call_id: z.string().nullable(),
    approved: z.boolean(),
    option_id: z.string().nullable(),
    /** Message that carried it, when one did. */
    message_id: z.string().nullable(),
  }),
  'user.cancel_requested': z.object({ reason: z.string().nullable() }),
} as const;

/** Payloads of what an agent says besides its messages, artifacts and tool calls. */
export const AGENT_WORDS = {
  'agent.reasoning_summary': z.object({ parts: z.array(part), material: z.string() }),
  /** A live word of an agent that has no resource of its own, in the words of its protocol. */
  'vendor.harn_gateway.agent_update': z.object({
    protocol: z.string(),
    kind: z.string(),
    about: z.enum(['turn', 'session']),
    update: z.object({ type: z.literal('agent_update'), visibility, body: jsonObject }),
    material: z.string(),
    /** It came while no turn ran. Its task is the one that ended last. */
    between_turns: z.literal(true).optional(),
  }),
} as const;
