import { z } from 'zod';
import { jsonValue } from '#protocol/envelope.ts';

/** Payloads of what becomes of the history. */
export const HISTORY_EVENTS = {
  /** Stands in the place of the last of the events that retention removed from the beginning of these streams. */
  'vendor.harn_gateway.history_removed': z.object({
    /** Kind of the event that was in this place. */
    event: z.string(),
    removed_at: z.string(),
    streams: z.array(
      z.object({
        object: z.enum(['session', 'task']),
        id: z.string(),
        /** The oldest removed event, and how many are gone up to and including this place. */
        first_event_id: z.string(),
        events: z.int().min(1),
      }),
    ),
  }),
  'vendor.harn_gateway.truncation_accepted': z.object({
    expected: jsonValue,
    found: jsonValue,
    /** What the operator says of it. */
    reason: z.string().optional(),
    /** Where the log was restored from a backup: which, and the newest checkpoint that was left of what came after it. */
    backup: z
      .object({
        created_at: z.string(),
        commit: z.int(),
        event_id: z.string(),
        newest_known: z.object({ commit: z.int(), event_id: z.string(), time: z.string() }).nullable(),
      })
      .optional(),
  }),
} as const;
