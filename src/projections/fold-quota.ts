import type { Event, StateWriter } from '../eventlog/event-log.ts';
import type { TaskCount } from './fold-session.ts';
import { stateKey } from './state-keys.ts';
import type { QuotaUsageState } from './states.ts';

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
    const usage = states.get<QuotaUsageState>(key) ?? { open: 0, queued: 0, hour: '', submitted: 0 };
    states.set(key, {
      open: usage.open + Number(after !== undefined) - Number(before !== undefined),
      queued: usage.queued + Number(after === 'queued') - Number(before === 'queued'),
      ...(before === undefined ? submittedAt(event, usage) : hourly(usage)),
    } satisfies QuotaUsageState);
  }
}

type Hourly = Pick<QuotaUsageState, 'hour' | 'submitted'>;

function hourly({ hour, submitted }: QuotaUsageState): Hourly {
  return { hour, submitted };
}

function submittedAt({ created_at }: Event, { hour, submitted }: QuotaUsageState): Hourly {
  const now = hourOf(created_at);
  return { hour: now, submitted: now === hour ? submitted + 1 : 1 };
}

/** The hour of an RFC 3339 UTC time. */
export function hourOf(time: string): string {
  return time.slice(0, 'YYYY-MM-DDTHH'.length);
}
