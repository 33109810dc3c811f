import { AT, SESSION } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

const RULE_ID = 'rule_01KAHG6QJC3G0Z2K4N6Q8S0V2X';
const VERSION = 'policy-6c183fc13a6e607536847cbf';

const policy = {
  read: ['src/**'],
  write: [],
  exec: [],
  net: [],
  llm: { providers: [], cost_ceiling_usd_cents: null },
  redact: { transcript: [], logs: [] },
  escalate_to: ['user'],
};
const terms = {
  scope: 'session',
  scope_value: SESSION,
  class: 'write',
  action_pattern: 'files__write_file',
  target_pattern: 'src/**',
  allow: true,
  reason: 'the agent may write where it works',
  expires_at: null,
};
const rule = {
  id: RULE_ID,
  tenant_id: 'tenant_default',
  ...terms,
  created_at: AT,
  created_by: 'developer',
  revoked_at: null,
  actor: 'developer',
  request_id: null,
};
const check = {
  session_id: SESSION,
  actor: 'developer',
  class: 'write',
  action: 'files__write_file',
  target: 'src/main.ts',
};
const decided = {
  scope: 'session',
  policy_version: VERSION,
  reason: null,
  rule_id: RULE_ID,
  expires_at: null,
};

/** Examples by the names of schemas. */
export const examples: Examples = {
  RememberRule: rule,
  MadeRule: rule,
  CreateRememberRuleRequest: terms,
  PermissionPolicy: policy,
  InstallPermissionPolicyRequest: policy,
  PermissionPolicyResponse: {
    object: 'permission_policy',
    version: VERSION,
    policy,
    not_enforced: ['redact.transcript', 'redact.logs'],
  },
  PermissionCheckRequest: check,
  PermissionCheckResponse: {
    object: 'permission_decision',
    request_id: 'permission_check_01KAHG6QJC3G0Z2K4N6Q8S0V2X',
    decision: { outcome: 'granted', ...decided },
  },
  AuditEntry: {
    request: { id: 'permission_request_01KAHG6QJC3G0Z2K4N6Q8S0V2X', ...check },
    outcome: 'granted',
    ...decided,
    risk: 'high',
    decided_at: AT,
    decided_by: null,
  },
};
