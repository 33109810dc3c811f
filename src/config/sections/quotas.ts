import { z } from 'zod';
import { QUOTA_SCOPES } from '../../protocol/resources/quota.ts';
import { operatorId, positive } from '../shapes.ts';

const quotaLimits = z
  .strictObject({
    concurrent_tasks: positive
      .optional()
      .describe('Tasks accepted and not ended.')
      .meta({ examples: [20] }),
    queued_tasks: positive
      .optional()
      .describe('Tasks accepted and not started.')
      .meta({ examples: [100] }),
    tasks_per_hour: positive
      .optional()
      .describe('Tasks accepted in one hour of UTC.')
      .meta({ examples: [1000] }),
  })
  .refine((limits) => Object.keys(limits).length > 0, 'must name at least one limit');

const quota = z
  .strictObject({
    id: operatorId.describe('Id of the quota.').meta({ examples: ['shop-tasks'] }),
    scope: z
      .enum(QUOTA_SCOPES)
      .describe('What its owner is: persona, workspace, tenant, or organization for all together.')
      .meta({ examples: ['workspace'] }),
    owner: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('Id of the persona, workspace or tenant; none for organization.')
      .meta({ examples: ['workspace_default'] }),
    limits: quotaLimits.describe(
      'How much its tasks may use. Tokens and spend cannot be limited in this version.',
    ),
    hard_limit: z
      .boolean()
      .default(true)
      .describe('true refuses with 422 policy_violation, false with 429 rate_limited and Retry-After.'),
  })
  .superRefine(({ scope, owner }, context) => {
    if ((scope === 'organization') === (owner === undefined)) return;
    const message = owner === undefined ? 'is required for this scope' : 'is not for the scope organization';
    context.addIssue({ code: 'custom', path: ['owner'], message });
  });

export const quotas = z
  .array(quota)
  .default([])
  .describe('Ceilings that are checked before a task is accepted.');
