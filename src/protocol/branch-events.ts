import { z } from 'zod';
import { branch } from './resources/branch.ts';
import { jsonObject } from './resources/envelope.ts';

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
