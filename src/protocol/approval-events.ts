import { z } from 'zod';
import { review } from './resources/trust-record.ts';

/** Payloads of approvals that need more than one reviewer, and of answers that hold for more than one request. */
export const APPROVAL_EVENTS = {
  /** One of several approvals that a request needs; the last one is told as the decision. */
  'vendor.harn_gateway.approval_voted': z.object({
    request_id: z.string(),
    quorum: z.int().min(2),
    review,
  }),
  /** The answer of this request is no answer to others any more. */
  'vendor.harn_gateway.permission_forgotten': z.object({ request_id: z.string() }),
} as const;
