import { z } from 'zod';
import { rememberRule } from '#resources/permission-rule/schema.ts';
import { sha256 } from '#resources/receipt/parts-schema.ts';
import { review } from '#resources/trust/schema.ts';
import { PERMISSION_STATUSES, permissionRequest, permissionResponse } from './schema.ts';

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
    /** The same as a rule. Absent in what was remembered before there were rules. */
    rule: rememberRule.optional(),
  }),
  /** It is none any more. */
  'vendor.harn_gateway.permission_forgotten': z.object({ request_id: z.string() }),
} as const;

const requested = {
  permission_request: permissionRequest,
  /** The agent's own id, when it waits for the answer inside its running turn. */
  upstream_request_id: z.string().nullable(),
  /** The agent took nothing of the turn; an approval sends it again. */
  resends: z.literal(true).optional(),
  subject_sha256: sha256.optional(),
  material: z.string().optional(),
};

const resolved = {
  request_id: z.string(),
  status: z.enum(PERMISSION_STATUSES).exclude(['pending']),
  response: permissionResponse,
};

const toolCall = { tool_call_id: z.string(), name: z.string(), input_sha256: sha256.optional() };

/** By whoever was asked; or by the policy, which asked nobody and says why. */
const denied = {
  ...toolCall,
  request_id: z.string().optional(),
  status: resolved.status,
  response: permissionResponse.optional(),
  server: z.string().optional(),
  policy: z.object({ rule: z.string(), because: z.string() }).optional(),
};

/** Payloads of questions and their answers. */
export const PERMISSION_EVENTS = {
  'tool.approval_required': z.object({ ...toolCall, ...requested }),
  'tool.approved': z.object({ ...toolCall, ...resolved }),
  'tool.denied': z.object(denied),
  'vendor.harn_gateway.permission_requested': z.object(requested),
  'vendor.harn_gateway.permission_resolved': z.object(resolved),
} as const;
