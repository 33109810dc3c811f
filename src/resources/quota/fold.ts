import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { isTerminal } from '#protocol/task-states.ts';
import { decimal } from '#protocol/usage.ts';
import type { TaskCount } from '#resources/session/fold.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { TaskState } from '#resources/states.ts';
import { type Amounts, NO_QUOTA_USAGE, type QuotaBudgets, type QuotaUsageState } from './quota-state.ts';
import { windowEnd } from './quota-window.ts';
import { QUOTA_BUDGETS, type QuotaReservation } from './schema.ts';

/** Keeps what a quota has in use when a task enters (`before` undefined), moves or ends. */
export function foldQuotaUsage(
  event: Event,
  states: StateWriter,
  quotas: readonly string[] | undefined,
  before: TaskCount | undefined,
  after: TaskCount | undefined,
): void {
  for (const id of quotas ?? []) {
    const key = stateKey.quotaUsage(id);
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
    const key = stateKey.quotaUsage(reservation.quota_id);
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
