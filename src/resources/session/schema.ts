import { z } from 'zod';
import { SESSION_MODES } from '#protocol/autonomy.ts';
import { envelope, givenId, jsonObject, metadata, time } from '#protocol/envelope.ts';
import { REASONING_EFFORTS } from '#protocol/model-policy.ts';
import { liveSessionClient } from '#resources/live-client/schema.ts';
import { messageInput } from '#resources/message/schema.ts';

const SESSION_STATES = ['ACTIVE', 'IDLE', 'PAUSED', 'CLOSED', 'FAILED'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

/**
 * The model that a Session wishes its agents to use. Source: OpenAPI of agents-protocol-2026-10-11, SessionModelPolicy.
 */
const sessionModelPolicy = z
  .strictObject({
    provider: z.string().trim().toLowerCase().min(1).max(200),
    model: z.string().trim().min(1).max(200),
    reasoning_effort: z.enum(REASONING_EFFORTS).optional(),
  })
  .meta({ id: 'SessionModelPolicy' });
export type SessionModelPolicy = z.infer<typeof sessionModelPolicy>;

/** Source: Agents Protocol v1, "Session". */
export const session = envelope('session', {
  workspace_id: z.string(),
  state: z.enum(SESSION_STATES),
  transcript: jsonObject,
  persona_id: z.string().nullable(),
  root_session_id: z.string().nullable(),
  parent_session_id: z.string().nullable(),
  branch_id: z.string().nullable(),
  last_event_id: z.string().nullable(),
  /** Who works in it, where anybody ever attached or follows it now. */
  live_clients: z.array(liveSessionClient).exactOptional(),
  live_controller_id: z.string().nullable().exactOptional(),
  summary: z.string().nullable(),
  expires_at: time.nullable(),
  mode_id: z
    .enum(SESSION_MODES)
    .optional()
    .describe('How far its next Task may go by itself; in an Event what held then.'),
  model_policy: sessionModelPolicy.optional().describe('Absent where there is none.'),
}).meta({ id: 'Session' });
export type Session = z.infer<typeof session>;

const ids = z.array(givenId).max(100);

export const createSessionRequest = z
  .object({
    workspace_id: givenId,
    persona_id: givenId.nullable().optional(),
    vault_ids: ids.optional(),
    memory_ids: ids.optional(),
    skill_ids: ids.optional(),
    initial_messages: z.array(messageInput).max(200).optional(),
    metadata: metadata.optional(),
    mode_id: z
      .enum(SESSION_MODES)
      .nullable()
      .optional()
      .describe(
        'Another spelling of metadata.autonomy_tier: shadow, architect (suggest), ask (act_with_approval), code (act_auto). Null or absent: none of its own.',
      ),
    model_policy: sessionModelPolicy.nullable().optional().describe('Null or absent: none.'),
  })
  .meta({ id: 'CreateSessionRequest' });
export type CreateSessionRequest = z.infer<typeof createSessionRequest>;

/** Caller's own name of a Session; unique for an actor in a Workspace. */
export const sessionKey = z.string().min(1).max(512);

/**
 * A Session made in the same commit as its first Task. With a `key` the Session that this actor gave the same key before is
 * taken instead, whatever the other members say. With `parallel` that is the first one in which no Task runs or waits for its
 * turn: of that key, else of `<key>#2`, `<key>#3` and so on.
 */
export const taskSession = z
  .object({
    workspace_id: givenId,
    key: sessionKey.optional(),
    parallel: z.boolean().optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'TaskSession' });
export type TaskSession = z.infer<typeof taskSession>;

export const forkSessionRequest = z
  .object({
    at_event_id: givenId.nullable().optional(),
    branch_id: givenId.nullable().optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'ForkSessionRequest' });

export const truncateSessionRequest = z
  .object({ keep_first: z.int().min(0), reason: z.string().max(2000).optional() })
  .meta({ id: 'TruncateSessionRequest' });

export const truncateSessionResponse = z
  .object({
    object: z.literal('session.truncate_result'),
    session_id: z.string(),
    kept_turn_count: z.int().min(0),
    removed_turn_count: z.int().min(0),
    new_tip_turn_id: z.string().nullable(),
    session,
  })
  .meta({ id: 'TruncateSessionResponse' });

export const updateSessionRequest = z
  .object({
    summary: z.string().nullable().optional(),
    metadata: metadata.optional(),
    mode_id: z
      .enum(SESSION_MODES)
      .nullable()
      .optional()
      .describe(
        'Another spelling of metadata.autonomy_tier, as in the request that makes a Session; null: none of its own.',
      ),
    model_policy: sessionModelPolicy
      .nullable()
      .optional()
      .describe('Replaces all of it; null takes it away.'),
  })
  .meta({ id: 'UpdateSessionRequest' });
export type UpdateSessionRequest = z.infer<typeof updateSessionRequest>;
