import { z } from 'zod';
import { permissionCheckRequest, permissionDecision, permissionPolicy, rememberRule } from './schema.ts';

/** Payloads of rules, of the policy of a tenant, and of what they were asked. */
export const PERMISSION_RULE_EVENTS = {
  'vendor.harn_gateway.permission_rule_created': z.object({
    rule: rememberRule,
    tenant: z.string(),
    /** Of a rule of a Session or a Workspace. */
    workspace_id: z.string().nullable(),
  }),
  'vendor.harn_gateway.permission_rule_revoked': z.object({ rule_id: z.string() }),
  'vendor.harn_gateway.permission_policy_installed': z.object({
    tenant: z.string(),
    version: z.string(),
    policy: permissionPolicy,
  }),
  /** Equal ones within a minute are one event. */
  'vendor.harn_gateway.permission_checked': z.object({
    request: permissionCheckRequest,
    decision: permissionDecision,
    /** Equal checks since the last event of them, which were not recorded. */
    unrecorded: z.int().min(0),
  }),
} as const;
