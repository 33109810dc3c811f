import type { Event, StateWriter } from '../eventlog/event-log.ts';
import type { TaskCount } from './fold-session.ts';
import { NO_QUOTA_USAGE, type QuotaUsageState } from './quota-state.ts';
import { stateKey } from './state-keys.ts';

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
