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
  'vendor.harn_gateway.truncation_accepted': z.object({ expected: jsonValue, found: jsonValue }),
} as const;
