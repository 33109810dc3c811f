import { z } from 'zod';
import { jsonObject } from '#protocol/envelope.ts';
import { branch } from './schema.ts';

/** Payloads of what becomes of Branches. */
export const BRANCH_EVENTS = {
  'branch.created': z.object({ branch }),
  'branch.merged': z.object({
    branch_id: z.string(),
    merged_into: z.string().nullable(),
    metadata: jsonObject,
  }),
  'branch.abandoned': z.object({ branch_id: z.string(), reason: z.string().nullable() }),
} as const;
