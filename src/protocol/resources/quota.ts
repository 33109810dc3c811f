import { z } from 'zod';
import { envelope, time } from './envelope.ts';

export const QUOTA_SCOPES = ['persona', 'workspace', 'tenant', 'organization'] as const;

/** What this version can count. Tokens and spend are not among it, so no quota can name them. */
export const QUOTA_LIMITS = ['concurrent_tasks', 'queued_tasks', 'tasks_per_hour'] as const;
export type QuotaLimit = (typeof QUOTA_LIMITS)[number];

const numbers = z.record(z.string(), z.number());

/** Source: Agents Protocol v1, "Quota". Configured, not stored: `usage` is of the moment it is read. */
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
  last_receipt_id: z.string().nullable(),
}).meta({ id: 'Quota' });
export type Quota = z.infer<typeof quota>;

/** A quota as the operator configured it. */
export interface QuotaRow {
  id: string;
  scope: (typeof QUOTA_SCOPES)[number];
  owner?: string | undefined;
  limits: { [Limit in QuotaLimit]?: number | undefined };
  hard_limit: boolean;
}
