import { z } from 'zod';
import { envelope, time } from '#protocol/envelope.ts';

export const DEAD_LETTER_STATUSES = ['dead', 'retrying', 'delivered'] as const;

/** A delivery that was given up. Retried, it is posted once more under the same delivery id. */
export const deadLetter = envelope('dead_letter', {
  workspace_id: z.string(),
  task_id: z.string(),
  push_config_id: z.string(),
  /** The event that was to be posted. */
  event_id: z.string(),
  status: z.enum(DEAD_LETTER_STATUSES),
  /** Why the last attempt failed: a word, or the HTTP status. */
  reason: z.string(),
  attempts: z.int().min(1),
  last_attempt_at: time,
}).meta({ id: 'DeadLetter' });
export type DeadLetter = z.infer<typeof deadLetter>;
