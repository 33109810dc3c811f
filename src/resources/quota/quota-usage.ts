import type { Caller } from '#auth/caller.ts';
import type { Facts } from '#core/facts.ts';
import { isMemberOf, notFound } from '#core/load.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import { holdsScope } from '#policy/access.ts';
import { decimal } from '#protocol/usage.ts';
import { type PersonaState, personaKeys } from '#resources/persona/state.ts';
import {
  type Amounts,
  hourOf,
  NO_QUOTA_USAGE,
  type QuotaBudgets,
  type QuotaUsageState,
  windowEnd,
} from './fold.ts';
import { QUOTA_BUDGETS, QUOTA_LIMITS, type QuotaBudget, type QuotaLimit, type QuotaRow } from './schema.ts';
import { quotaKeys } from './state.ts';

const NOTHING: Amounts = { tokens: 0, spend: 0, runtime_seconds: 0 };

/** What a quota has in use at a time; hours and windows are those of UTC. */
export interface QuotaUse {
  /** What counts against each limit: of a budget, what is used and what is reserved. */
  taken: Record<QuotaLimit, number>;
  /** The reserved part, which may be released. */
  reserved: Amounts;
  /** RFC 3339 times at which a limit begins again; absent: never. */
  resets: { [Limit in QuotaLimit]?: string };
  lastReceiptId: string | null;
}

export function usageOf(reader: StateReader, row: QuotaRow, time: string): QuotaUse {
  const usage = reader.get<QuotaUsageState>(quotaKeys.quotaUsage(row.id)) ?? NO_QUOTA_USAGE;
  const { used, reserved, resetsAt } = budgetsAt(usage.budgets, row, time);
  const taken = {
    concurrent_tasks: usage.open,
    queued_tasks: usage.queued,
    tasks_per_hour: usage.hour >= hourOf(time) ? usage.submitted : 0,
    tokens: decimal(used.tokens + reserved.tokens),
    spend: decimal(used.spend + reserved.spend),
    runtime_seconds: decimal(used.runtime_seconds + reserved.runtime_seconds),
  };
  const hour = windowEnd('hour', time) ?? time;
  const resets = resetsAt === null ? {} : Object.fromEntries(QUOTA_BUDGETS.map((name) => [name, resetsAt]));
  const lastReceiptId = usage.last_receipt_id ?? null;
  return { taken, reserved, resets: { tasks_per_hour: hour, ...resets }, lastReceiptId };
}

/** A run that goes on longer than what was set aside for it counts while it runs. */
function budgetsAt(
  budgets: QuotaBudgets = { resets_at: null, used: NOTHING, reserved: NOTHING, clock: STOPPED },
  { window }: QuotaRow,
  time: string,
): { used: Amounts; reserved: Amounts; resetsAt: string | null } {
  const { resets_at, reserved, clock } = budgets;
  const isOver = resets_at !== null && time >= resets_at;
  const workedSeconds = (clock.running * Date.parse(time) + clock.offset_ms) / 1000;
  const runtime_seconds = decimal(Math.max(reserved.runtime_seconds, workedSeconds));
  return {
    used: isOver ? NOTHING : budgets.used,
    reserved: { ...reserved, runtime_seconds },
    resetsAt: isOver || resets_at === null ? windowEnd(window, time) : resets_at,
  };
}

const STOPPED: QuotaBudgets['clock'] = { running: 0, offset_ms: 0 };

/** The first limit that one more task would pass, or undefined. */
export function exhausted(
  row: QuotaRow,
  { taken }: QuotaUse,
  counted: readonly QuotaLimit[] = QUOTA_LIMITS,
): QuotaLimit | undefined {
  return counted.find((limit) => decimal(taken[limit] + stepOf(row, limit)) > limitOf(row, limit));
}

/** The first budget that is overdrawn, because a run used more than was reserved for it. */
export function exceeded(row: QuotaRow, { taken }: QuotaUse): QuotaBudget | undefined {
  return QUOTA_BUDGETS.find((budget) => taken[budget] > limitOf(row, budget));
}

/** What one more task takes. */
function stepOf({ per_task }: QuotaRow, limit: QuotaLimit): number {
  return isBudget(limit) ? (per_task[limit] ?? 0) : 1;
}

function limitOf({ limits }: QuotaRow, limit: QuotaLimit): number {
  return limits[limit] ?? Number.POSITIVE_INFINITY;
}

function isBudget(limit: QuotaLimit): limit is QuotaBudget {
  return QUOTA_BUDGETS.some((budget) => budget === limit);
}

/** True when ending tasks frees nothing; only the next window does. */
export function isUsedUp(row: QuotaRow, { taken, reserved }: QuotaUse, limit: QuotaLimit): boolean {
  if (limit === 'tasks_per_hour') return true;
  if (!isBudget(limit)) return false;
  return decimal(taken[limit] - reserved[limit] + stepOf(row, limit)) > limitOf(row, limit);
}

/** Whether a caller may know of a quota: that of the organization is for administrators. */
export function seesQuota(reader: StateReader, caller: Caller, { scope, owner = '' }: QuotaRow): boolean {
  switch (scope) {
    case 'organization':
      return holdsScope(caller, 'admin');
    case 'tenant':
      return owner === caller.tenant;
    case 'workspace':
      return isMemberOf(reader, caller, owner);
    case 'persona':
      return reader.get<PersonaState>(personaKeys.persona(owner))?.internal.tenant === caller.tenant;
  }
}

/** A quota that a request names has to be one the caller may see. */
export function refuseUnknownQuota(
  reader: StateReader,
  { caller, self }: Pick<Facts, 'caller' | 'self'>,
  id: string | null | undefined,
): void {
  if (id === null || id === undefined) return;
  const found = self.quotas.find((quota) => quota.id === id);
  if (!found || !seesQuota(reader, caller, found)) throw notFound('quota', 'quota_id');
}
