import { z } from 'zod';
import { review } from '#resources/trust/schema.ts';

/** Payloads of approvals that need more than one reviewer, and of answers that hold for more than one request. */
export const APPROVAL_EVENTS = {
  /** One of several approvals that a request needs; the last one is recorded as the decision. */
  'vendor.harn_gateway.approval_voted': z.object({
    request_id: z.string(),
    quorum: z.int().min(2),
    review,
  }),
  /** The answer of this request is one to others too: of this actor's tasks in the owner, a Session or the Workspace. */
  'vendor.harn_gateway.permission_remembered': z.object({
    request_id: z.string(),
    approved: z.boolean(),
    owner: z.string(),
    actor: z.string(),
    /** Route of the agent that asks. */
    route: z.string(),
    /** Of what it asks about. */
    subject_sha256: z.string(),
  }),
  /** It is none any more. */
  'vendor.harn_gateway.permission_forgotten': z.object({ request_id: z.string() }),
} as const;
