import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { timestamp } from '#protocol/ports.ts';
import { isTerminal } from '#protocol/task-states.ts';
import { type Cost, decimal, type ReportedUsage, type UsageTotals } from '#protocol/usage.ts';
import { payload } from '#resources/payload.ts';
import type { TaskCount } from '#resources/session/fold.ts';
import { isEnded } from '#resources/task/fold-run.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import { QUOTA_BUDGETS, type QuotaBudget, type QuotaReservation, type QuotaWindow } from './schema.ts';
import { quotaKeys } from './state.ts';

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

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** When the window that `time` (RFC 3339) lies in is over; null where it never is. */
export function windowEnd(window: QuotaWindow, time: string): string | null {
  switch (window) {
    case 'hour':
      return timestamp(Date.parse(`${time.slice(0, 'YYYY-MM-DDTHH'.length)}:00:00.000Z`) + HOUR_MS);
    case 'day':
      return timestamp(Date.parse(`${time.slice(0, 'YYYY-MM-DD'.length)}T00:00:00.000Z`) + DAY_MS);
    case 'month':
      return nextMonth(Number(time.slice(0, 4)), Number(time.slice(5, 7)));
    case 'never':
      return null;
  }
}

function nextMonth(year: number, month: number): string {
  const [inYear, next] = month === 12 ? [year + 1, 1] : [year, month + 1];
  return `${String(inYear).padStart(4, '0')}-${String(next).padStart(2, '0')}-01T00:00:00.000Z`;
}

/** Keeps what a quota has in use when a task enters (`before` undefined), moves or ends. */
export function foldQuotaUsage(
  event: Event,
  states: StateWriter,
  quotas: readonly string[] | undefined,
  before: TaskCount | undefined,
  after: TaskCount | undefined,
): void {
  for (const id of quotas ?? []) {
    const key = quotaKeys.quotaUsage(id);
    const usage = states.get<QuotaUsageState>(key) ?? NO_QUOTA_USAGE;
    const ended = after === undefined && event.receipt_id !== null;
    states.set(key, {
      ...usage,
      open: usage.open + Number(after !== undefined) - Number(before !== undefined),
      queued: usage.queued + Number(after === 'queued') - Number(before === 'queued'),
      ...(before === undefined ? submittedAt(event, usage) : {}),
      ...(ended ? { last_receipt_id: event.receipt_id as string } : {}),
    } satisfies QuotaUsageState);
  }
}

function submittedAt(
  { created_at }: Event,
  { hour, submitted }: QuotaUsageState,
): Pick<QuotaUsageState, 'hour' | 'submitted'> {
  const now = hourOf(created_at);
  return { hour: now, submitted: now === hour ? submitted + 1 : 1 };
}

/** The hour of an RFC 3339 UTC time. */
export function hourOf(time: string): string {
  return time.slice(0, 'YYYY-MM-DDTHH'.length);
}

const NOTHING: Amounts = { tokens: 0, spend: 0, runtime_seconds: 0 };

/**
 * Keeps what the quotas of a task have reserved and used, in the commit that changes the task: an open task has reserved what was
 * set aside for it, or used where that is more; one that ends gives it back, and what it used counts in the window of its end.
 */
export function foldReservations(
  event: Event,
  states: StateWriter,
  before: TaskState | undefined,
  after: TaskState | undefined,
): void {
  for (const reservation of after?.internal.reservations ?? []) {
    const key = quotaKeys.quotaUsage(reservation.quota_id);
    const usage = states.get<QuotaUsageState>(key) ?? NO_QUOTA_USAGE;
    const budgets = usage.budgets ?? { resets_at: null, used: NOTHING, reserved: NOTHING, clock: STOPPED };
    const next = moved(inWindow(budgets, reservation, event.created_at), reservation, before, after);
    states.set(key, { ...usage, budgets: next } satisfies QuotaUsageState);
  }
}

/** A Task as it is, for `before`, while it is changed in place; undefined where nothing is reserved, and nothing is counted. */
export function beforeChange(task: TaskState | undefined): TaskState | undefined {
  if (task?.internal.reservations === undefined) return undefined;
  return { resource: { ...task.resource }, internal: { ...task.internal } };
}

const STOPPED: QuotaBudgets['clock'] = { running: 0, offset_ms: 0 };

function moved(
  budgets: QuotaBudgets,
  reservation: QuotaReservation,
  before: TaskState | undefined,
  after: TaskState | undefined,
): QuotaBudgets {
  const held = difference(heldBy(reservation, after), heldBy(reservation, before));
  const settled = difference(settledBy(reservation, after), settledBy(reservation, before));
  const [clock, was] = [clockOf(after), clockOf(before)];
  return {
    ...budgets,
    reserved: sum(budgets.reserved, held),
    used: sum(budgets.used, settled),
    clock: {
      running: budgets.clock.running + clock.running - was.running,
      offset_ms: budgets.clock.offset_ms + clock.offset_ms - was.offset_ms,
    },
  };
}

/** Windows only go forward: time never turns back in the log, and one that began counts to its end. */
function inWindow(budgets: QuotaBudgets, { window }: QuotaReservation, time: string): QuotaBudgets {
  const { resets_at } = budgets;
  if (resets_at !== null && time < resets_at) return budgets;
  const isFirst = resets_at === null;
  return { ...budgets, resets_at: windowEnd(window, time), used: isFirst ? budgets.used : NOTHING };
}

function heldBy({ amounts, currency }: QuotaReservation, task: TaskState | undefined): Amounts {
  if (task === undefined || isTerminal(task.resource.status)) return NOTHING;
  const used = usedBy(task, currency);
  return each((budget) => Math.max(amounts[budget] ?? 0, used[budget]));
}

function settledBy({ currency }: QuotaReservation, task: TaskState | undefined): Amounts {
  return task !== undefined && isTerminal(task.resource.status) ? usedBy(task, currency) : NOTHING;
}

/** As the agent says, and as long as the task was in WORKING up to its newest move. */
function usedBy({ internal }: TaskState, currency: string): Amounts {
  const { input_tokens = 0, output_tokens = 0, costs = [] } = internal.run?.usage ?? {};
  return {
    tokens: input_tokens + output_tokens,
    spend: costs.find((cost) => cost.currency === currency)?.amount ?? 0,
    runtime_seconds: (internal.worked?.ms ?? 0) / 1000,
  };
}

/** What a task adds to the running clock of its quotas: `running * now + offset_ms` is how long its open tasks worked. */
function clockOf(task: TaskState | undefined): QuotaBudgets['clock'] {
  const worked = task?.internal.worked;
  if (task === undefined || worked === undefined || isTerminal(task.resource.status)) return STOPPED;
  if (worked.since === null) return { running: 0, offset_ms: worked.ms };
  return { running: 1, offset_ms: worked.ms - Date.parse(worked.since) };
}

/** Time in WORKING so far; `since` while it works. Only tasks with a reservation keep it. */
export function workedAfter(event: Event, { resource, internal }: TaskState, isWorking: boolean) {
  if (internal.reservations === undefined) return {};
  const { ms, since } = internal.worked ?? { ms: 0, since: resource.started_at };
  const done = since === null ? ms : ms + Date.parse(event.created_at) - Date.parse(since);
  return { worked: { ms: done, since: isWorking ? event.created_at : null } };
}

function each(amountOf: (budget: keyof Amounts) => number): Amounts {
  return Object.fromEntries(QUOTA_BUDGETS.map((budget) => [budget, decimal(amountOf(budget))])) as never;
}

function sum(one: Amounts, other: Amounts): Amounts {
  return each((budget) => one[budget] + other[budget]);
}

function difference(one: Amounts, other: Amounts): Amounts {
  return each((budget) => one[budget] - other[budget]);
}

/** Keeps what the agent says that a run used, for its receipt. */
export function foldUsage(event: Event, states: StateWriter): void {
  const { usage } = payload(event, 'vendor.harn_gateway.upstream_note');
  if (usage === undefined || event.task_id === null) return;
  const key = taskKeys.task(event.task_id);
  if (isEnded(states, key)) return;
  const state = states.draft<TaskState>(key);
  if (!state) return;
  const { internal } = state;
  const before = beforeChange(state);
  const run = internal.run ?? { pages: 0, newest: [] };
  internal.run = { ...run, usage: addedUsage(run.usage ?? { costs: [] }, usage) };
  foldReservations(event, states, before, state);
}

function addedUsage(before: UsageTotals, { counts, ...reported }: ReportedUsage): UsageTotals {
  const base = counts === 'more' ? before : undefined;
  const sum = (was = 0, more = 0) => Math.min(was + more, Number.MAX_SAFE_INTEGER);
  const { input_tokens, output_tokens, cost, model, counted } = reported;
  return {
    ...before,
    ...(input_tokens === undefined ? {} : { input_tokens: sum(base?.input_tokens, input_tokens) }),
    ...(output_tokens === undefined ? {} : { output_tokens: sum(base?.output_tokens, output_tokens) }),
    ...(model === undefined ? {} : { model }),
    ...(counted === undefined ? {} : { counted }),
    costs: cost === undefined ? before.costs : addedCosts(before.costs, cost, counts),
  };
}

/** One amount for each currency, in the order of their codes. */
function addedCosts(
  before: readonly Cost[],
  { amount, currency }: Cost,
  counts: ReportedUsage['counts'],
): Cost[] {
  const known = before.find((cost) => cost.currency === currency)?.amount ?? 0;
  const now = { amount: counts === 'more' ? decimal(known + amount) : amount, currency };
  const others = before.filter((cost) => cost.currency !== currency);
  return [...others, now].sort((one, other) => (one.currency < other.currency ? -1 : 1));
}
