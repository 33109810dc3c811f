import { z } from 'zod';
import { erasedCounts, erasedReceipt, erasure, heldSession } from './schema.ts';

/** Payloads of what becomes of erasures. They are events of the workspace, so that they outlive what they tell of. */
export const ERASURE_EVENTS = {
  'vendor.harn_gateway.erasure_requested': z.object({ erasure }),
  /** What went in the same transaction. */
  'vendor.harn_gateway.erasure_progressed': z.object({
    removed: erasedCounts.partial(),
    task_ids: z.array(z.string()),
    receipts: z.array(erasedReceipt),
    forks: z.array(z.string()),
    of_actor: z
      .object({
        /** Went whole. */
        sessions: z.array(z.string()).optional(),
        /** Stay, without what the actor said. */
        shared: z.array(z.string()).optional(),
        held: z.array(heldSession).optional(),
        unreplayable: z.array(z.string()).optional(),
        /** Artifacts, permission requests and the like that went. */
        resources: z.array(z.string()).optional(),
      })
      .optional(),
  }),
  'vendor.harn_gateway.erasure_completed': z.object({}),
} as const;
