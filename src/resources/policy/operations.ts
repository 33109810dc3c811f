import type { OperationRow } from '#protocol/operation-row.ts';
import { explainPolicyQuery, policyExplanation } from './schema.ts';

export const policyOperations = {
  explainPolicy: {
    kind: 'query',
    method: 'GET',
    path: '/v1/admin/policy/explain',
    tag: 'Administration',
    summary: 'Say what the policy makes of a call or of a Task that an actor would send, and by which rule.',
    scope: 'admin',
    level: 'vendor',
    success: 200,
    query: explainPolicyQuery,
    response: policyExplanation,
  },
} as const satisfies Record<string, OperationRow>;
