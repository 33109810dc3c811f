import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Cost, decimal, type ToldUsage, type UsageTotals } from '#protocol/usage.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { TaskState } from '#resources/states.ts';
import { isEnded } from '#resources/task/fold-run.ts';
import { beforeChange, foldReservations } from './fold.ts';

export const quotaFolds: Folds = {
  'vendor.harn_gateway.upstream_note': [foldUsage],
};

/** Keeps what the agent says that a run used, for its receipt. */
function foldUsage(event: Event, states: StateWriter): void {
  const { usage } = payload(event, 'vendor.harn_gateway.upstream_note');
  if (usage === undefined || event.task_id === null) return;
  const key = stateKey.task(event.task_id);
  if (isEnded(states, key)) return;
  const state = states.draft<TaskState>(key);
  if (!state) return;
  const { internal } = state;
  const before = beforeChange(state);
  const run = internal.run ?? { pages: 0, newest: [] };
  internal.run = { ...run, usage: addedUsage(run.usage ?? { costs: [] }, usage) };
  foldReservations(event, states, before, state);
}

function addedUsage(before: UsageTotals, { counts, ...reported }: ToldUsage): UsageTotals {
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
  counts: ToldUsage['counts'],
): Cost[] {
  const known = before.find((cost) => cost.currency === currency)?.amount ?? 0;
  const now = { amount: counts === 'more' ? decimal(known + amount) : amount, currency };
  const others = before.filter((cost) => cost.currency !== currency);
  return [...others, now].sort((one, other) => (one.currency < other.currency ? -1 : 1));
}
