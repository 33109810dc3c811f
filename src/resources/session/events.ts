import { z } from 'zod';
import { jsonObject } from '#protocol/envelope.ts';
import { session } from './schema.ts';
import { transcriptArchive } from './transcript/schema.ts';

/** Payloads of what happens to a Session itself. */
export const SESSION_EVENTS = {
  'session.created': z.object({
    session,
    /** The name that `actor` knows it by. */
    key: z.string().optional(),
    /** What the session was given besides its persona. */
    vault_ids: z.array(z.string()).optional(),
    memory_ids: z.array(z.string()).optional(),
    skill_ids: z.array(z.string()).optional(),
    /** Where a fork took its transcript from. */
    forked: z
      .object({
        session_id: z.string(),
        at_event_id: z.string().nullable(),
        turn_count: z.int().min(0),
        /** What of the copied turns was archived at the source. */
        archive: transcriptArchive.optional(),
      })
      .optional(),
  }),
  'session.thread_forked': z.object({
    session_id: z.string(),
    branch_id: z.string(),
    at_event_id: z.string().nullable(),
    turn_count: z.int().min(0),
  }),
  'session.truncated': z.object({
    kept_turn_count: z.int().min(0),
    removed_turn_count: z.int().min(0),
    new_tip_turn_id: z.string().nullable(),
    reason: z.string().nullable(),
  }),
  'session.closed': z.object({ reason: z.string() }),
  'vendor.harn_gateway.session_updated': z.object({ changes: jsonObject }),
} as const;
