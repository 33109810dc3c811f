import { z } from 'zod';
import { QUOTA_BUDGETS, QUOTA_SCOPES, QUOTA_WINDOWS, type QuotaRow } from '#resources/quota/schema.ts';
import { operatorId, positive } from '../shapes.ts';

const amount = z.number().positive('must be more than 0');

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
    tokens: positive
      .optional()
      .describe('Input and output tokens, as agents report them.')
      .meta({ examples: [1000000] }),
    spend: amount
      .optional()
      .describe('Money in `currency`, as agents report it.')
      .meta({ examples: [25] }),
    runtime_seconds: amount
      .optional()
      .describe('Time in WORKING, all tasks together; waiting for people does not count.')
      .meta({ examples: [36000] }),
  })
  .refine((limits) => Object.keys(limits).length > 0, 'must name at least one limit');

const perTask = z
  .strictObject({
    tokens: positive
      .optional()
      .describe('For limits.tokens.')
      .meta({ examples: [20000] }),
    spend: amount
      .optional()
      .describe('For limits.spend.')
      .meta({ examples: [0.5] }),
    runtime_seconds: amount
      .optional()
      .describe('For limits.runtime_seconds.')
      .meta({ examples: [600] }),
  })
  .default({});

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
    limits: quotaLimits.describe('How much its tasks may use.'),
    per_task: perTask.describe(
      'What is set aside for each task when it is accepted, for each of tokens, spend and runtime_seconds in `limits`, until it ends and what it used is known. A task is accepted while that much is left.',
    ),
    window: z
      .enum(QUOTA_WINDOWS, `must be one of ${QUOTA_WINDOWS.join(', ')}`)
      .default('day')
      .describe(
        'When tokens, spend and runtime_seconds begin again: each hour, day or month of UTC, or never.',
      ),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as USD')
      .default('USD')
      .describe('Currency of spend; amounts in others are not counted.'),
    hard_limit: z
      .boolean()
      .default(true)
      .describe('true refuses with 422 policy_violation, false with 429 rate_limited and Retry-After.'),
  })
  .superRefine((row, context) => {
    for (const { path, message } of [...ownerFaults(row), ...budgetFaults(row)])
      context.addIssue({ code: 'custom', path, message });
  });

interface Fault {
  path: string[];
  message: string;
}

function ownerFaults({ scope, owner }: { scope: string; owner?: string | undefined }): Fault[] {
  if ((scope === 'organization') === (owner === undefined)) return [];
  const message = owner === undefined ? 'is required for this scope' : 'is not for the scope organization';
  return [{ path: ['owner'], message }];
}

function budgetFaults({
  limits,
  per_task,
  window,
  hard_limit,
}: Pick<QuotaRow, 'limits' | 'per_task' | 'window' | 'hard_limit'>): Fault[] {
  const faults = QUOTA_BUDGETS.flatMap((budget): Fault[] => {
    const [limit, each] = [limits[budget], per_task[budget]];
    const path = ['per_task', budget];
    if (limit !== undefined && each === undefined)
      return [{ path, message: `is required with limits.${budget}: what to set aside for a task` }];
    if (limit === undefined && each !== undefined) return [{ path, message: `needs limits.${budget}` }];
    if (limit !== undefined && each !== undefined && each > limit)
      return [{ path, message: `must not be more than limits.${budget}, or no task can ever start` }];
    return [];
  });
  const hasBudget = QUOTA_BUDGETS.some((budget) => limits[budget] !== undefined);
  const isEndless = hasBudget && window === 'never' && !hard_limit;
  const message = 'must not be false with the window never: there would be nothing to wait for';
  return isEndless ? [...faults, { path: ['hard_limit'], message }] : faults;
}

export const quotas = z
  .array(quota)
  .default([])
  .describe('Ceilings that are checked before a task is accepted, and for those that go on.');
