import { z } from 'zod';
import { envelope, givenId, metadata, time } from '#protocol/envelope.ts';

/** Sessions of one hold. */
const MAX_SESSIONS = 100;
const words = z.string().min(1).max(2_000);

/** Keeps sessions from every removal. A resource of this gateway, which the Agents Protocol does not name. */
export const hold = envelope('hold', {
  name: z.string(),
  workspace_id: z.string(),
  session_ids: z.array(z.string()),
  reason: z.string(),
  created_by: z.string().describe('Actor who set it.'),
  expires_at: time.nullable().describe('When it ends by itself; null: never.'),
  released_at: time.nullable().describe('Null while it holds.'),
  released_by: z.string().nullable().describe('Actor who released it; null where it expired.'),
  release_reason: z.string().nullable(),
}).meta({ id: 'Hold' });
export type Hold = z.infer<typeof hold>;

export const createHoldRequest = z
  .object({
    name: z.string().min(1).max(200).describe('What refusals call it, such as a case number.'),
    session_ids: z
      .array(givenId)
      .min(1)
      .max(MAX_SESSIONS)
      .describe('Sessions to keep, all of one Workspace.'),
    reason: words.describe('Why, for the record.'),
    expires_at: time.nullable().optional().describe('When it ends by itself. Default: never.'),
    metadata: metadata.optional(),
  })
  .meta({ id: 'CreateHoldRequest' });

export const releaseHoldRequest = z
  .object({ reason: words.describe('Why, for the record.') })
  .meta({ id: 'ReleaseHoldRequest' });
