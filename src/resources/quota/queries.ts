import type { Handlers } from '#core/command.ts';
import { listGiven, paging } from '#core/list-page.ts';
import { notFound } from '#core/load.ts';
import { ok, type Query, type QueryTools } from '#core/query.ts';
import type { JsonObject } from '#protocol/json.ts';
import { decimal } from '#protocol/usage.ts';
import { exhausted, type QuotaUse, seesQuota, usageOf } from './quota-usage.ts';
import { QUOTA_BUDGETS, QUOTA_LIMITS, type Quota, type QuotaLimit, type QuotaRow } from './schema.ts';

const listQuotas: Query<'listQuotas'> = ({ query }, tools) => {
  const shown = visible(tools).map((row) => resourceOf(row, tools));
  return listGiven(tools, shown, paging(query));
};

const getQuota: Query<'getQuota'> = ({ path }, tools) => {
  const found = visible(tools).find(({ id }) => id === path.quota_id);
  if (!found) throw notFound('quota');
  return ok(resourceOf(found, tools), tools.caller);
};

function visible({ self, reader, caller }: QueryTools): QuotaRow[] {
  return self.quotas.filter((row) => seesQuota(reader, caller, row));
}

function resourceOf(row: QuotaRow, { self, reader, time }: QueryTools): Quota {
  const use = usageOf(reader, row, time);
  const limit = exhausted(row, use) ?? null;
  return {
    id: row.id,
    object: 'quota',
    created_at: self.startedAt,
    updated_at: self.startedAt,
    metadata: budgetTerms(row),
    scope: row.scope,
    owner_id: row.owner ?? null,
    limits: withoutUnset(row.limits),
    usage: shownUsage(row, use),
    reset_at: resetAt(row, use, limit),
    hard_limit: row.hard_limit,
    soft_limit: !row.hard_limit,
    exhaustion_reason: limit,
    last_receipt_id: use.lastReceiptId,
  };
}

/** What the numbers of a budget mean. */
function budgetTerms({ limits, per_task, window, currency }: QuotaRow): JsonObject {
  if (!QUOTA_BUDGETS.some((budget) => limits[budget] !== undefined)) return {};
  return { window, per_task: withoutUnset(per_task), ...(limits.spend === undefined ? {} : { currency }) };
}

function shownUsage({ limits }: QuotaRow, { taken, reserved }: QuotaUse): Record<string, number> {
  const { concurrent_tasks, queued_tasks, tasks_per_hour } = taken;
  const budgets = QUOTA_BUDGETS.filter((budget) => limits[budget] !== undefined).flatMap((budget) => [
    [budget, decimal(taken[budget] - reserved[budget])] as const,
    [`${budget}_reserved`, reserved[budget]] as const,
  ]);
  return { concurrent_tasks, queued_tasks, tasks_per_hour, ...Object.fromEntries(budgets) };
}

/** That of the limit that is used up, else the next one. */
function resetAt({ limits }: QuotaRow, { resets }: QuotaUse, used: QuotaLimit | null): string | null {
  const limited = QUOTA_LIMITS.filter((limit) => limits[limit] !== undefined);
  const next = limited.flatMap((limit) => resets[limit] ?? []).sort()[0];
  return (used === null ? undefined : resets[used]) ?? next ?? null;
}

function withoutUnset(numbers: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(numbers).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}

export const handlers = {
  getQuota,
  listQuotas,
} satisfies Partial<Handlers>;
