import { z } from 'zod';
import { envelope, time } from '#protocol/envelope.ts';

export const QUOTA_SCOPES = ['persona', 'workspace', 'tenant', 'organization'] as const;

/** Ceilings on what a run uses: known when the agent has reported it, so that something is reserved for it before. */
export const QUOTA_BUDGETS = ['tokens', 'spend', 'runtime_seconds'] as const;
export type QuotaBudget = (typeof QUOTA_BUDGETS)[number];

export const QUOTA_LIMITS = ['concurrent_tasks', 'queued_tasks', 'tasks_per_hour', ...QUOTA_BUDGETS] as const;
export type QuotaLimit = (typeof QUOTA_LIMITS)[number];

/** How long a budget lasts before it begins again; all of them are of UTC. */
export const QUOTA_WINDOWS = ['hour', 'day', 'month', 'never'] as const;
export type QuotaWindow = (typeof QUOTA_WINDOWS)[number];

const amount = z.number().min(0);

/** What a task sets aside of a quota when it is accepted, until it has reported what it used. */
export const quotaReservation = z.object({
  quota_id: z.string(),
  window: z.enum(QUOTA_WINDOWS),
  /** Amounts of other currencies are not counted. */
  currency: z.string(),
  /** A budget that is left out sets nothing aside. */
  amounts: z.object({
    tokens: amount.optional(),
    spend: amount.optional(),
    runtime_seconds: amount.optional(),
  }),
});
export type QuotaReservation = z.infer<typeof quotaReservation>;

const numbers = z.record(z.string(), z.number());

/**
 * Source: Agents Protocol v1, "Quota". Configured, not stored: `usage` is of the moment it is read. A budget in it is what ended
 * tasks used, `<budget>_reserved` what open ones have set aside, or used where that is more.
 */
export const quota = envelope('quota', {
  scope: z.enum(QUOTA_SCOPES),
  /** What it is for: a persona, workspace or tenant id; null for all tenants together. */
  owner_id: z.string().nullable(),
  limits: numbers,
  usage: numbers,
  reset_at: time.nullable(),
  hard_limit: z.boolean(),
  soft_limit: z.boolean(),
  exhaustion_reason: z.string().nullable(),
  /** Of the task that ended last, where receipts are issued. */
  last_receipt_id: z.string().nullable(),
}).meta({ id: 'Quota' });
export type Quota = z.infer<typeof quota>;

/** A quota as the operator configured it. */
export interface QuotaRow {
  id: string;
  scope: (typeof QUOTA_SCOPES)[number];
  owner?: string | undefined;
  limits: { [Limit in QuotaLimit]?: number | undefined };
  /** What a task sets aside; there is one for each budget in `limits`. */
  per_task: { [Budget in QuotaBudget]?: number | undefined };
  window: QuotaWindow;
  currency: string;
  hard_limit: boolean;
}
