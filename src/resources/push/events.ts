import { z } from 'zod';
import { DEAD_LETTER_STATUSES, deadLetter, pushConfig } from './schema.ts';

/** Payloads of what happens to push configs and to what they deliver. */
export const PUSH_EVENTS = {
  'vendor.harn_gateway.push_config_set': z.object({
    push_config: pushConfig,
    session_id: z.string(),
    /** The newest event before it; what comes after is delivered. */
    after_event_id: z.string(),
    /** The config of the same name that it takes the place of. */
    replaces: z.string().nullable(),
    /** True for a Task that was over: nothing comes after it. Absent where something may. */
    is_done: z.boolean().optional(),
  }),
  'vendor.harn_gateway.push_config_deleted': z.object({ task_id: z.string() }),
  /** Everything of the Task through this event is delivered or given up. `is_last`: the Task is over. */
  'vendor.harn_gateway.push_delivered': z.object({
    task_id: z.string(),
    through_event_id: z.string(),
    is_last: z.boolean(),
  }),
  'vendor.harn_gateway.delivery_given_up': z.object({ dead_letter: deadLetter }),
  'vendor.harn_gateway.dead_letter_changed': z.object({
    status: z.enum(DEAD_LETTER_STATUSES),
    reason: z.string().optional(),
    attempts: z.int().min(1).optional(),
  }),
} as const;
