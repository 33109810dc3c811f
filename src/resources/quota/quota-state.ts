import type { QuotaBudget } from './schema.ts';

/** What the tasks of one quota use. */
export interface QuotaUsageState {
  /** Accepted and not ended. */
  open: number;
  /** Of these, not started. */
  queued: number;
  /** The hour, as `2026-11-21T03`, that `submitted` counts. */
  hour: string;
  submitted: number;
  /** Receipt of the task that ended last; absent while there is none. */
  last_receipt_id?: string;
  /** Absent while no task has reserved anything. */
  budgets?: QuotaBudgets;
}

export const NO_QUOTA_USAGE: QuotaUsageState = { open: 0, queued: 0, hour: '', submitted: 0 };

/** An amount of each budget: tokens, money in the currency of the quota, seconds. */
export type Amounts = Record<QuotaBudget, number>;

/** What the tasks of one quota have used and reserved. */
export interface QuotaBudgets {
  /** RFC 3339 time at which `used` begins again; null: never. */
  resets_at: string | null;
  /** By tasks that ended in this window. */
  used: Amounts;
  /** By open tasks: what was set aside for each, or used where that is more. */
  reserved: Amounts;
  /** `running * now + offset_ms` is how long the open tasks have been in WORKING, in ms. */
  clock: { running: number; offset_ms: number };
}
