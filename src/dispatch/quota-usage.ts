import type { Caller } from '../auth/caller.ts';
import type { StateReader } from '../eventlog/event-log.ts';
import { holdsScope } from '../policy/scope.ts';
import { hourOf } from '../projections/fold-quota.ts';
import { stateKey } from '../projections/state-keys.ts';
import type { PersonaState, QuotaUsageState } from '../projections/states.ts';
import { timestamp } from '../protocol/ports.ts';
import { QUOTA_LIMITS, type QuotaLimit, type QuotaRow } from '../protocol/resources/quota.ts';
import type { Facts } from './facts.ts';
import { isMemberOf, notFound } from './load.ts';

const HOUR_MS = 3_600_000;

/** What a quota has in use at `time`; hours are those of UTC. */
export function usageOf(reader: StateReader, id: string, time: string): Record<QuotaLimit, number> {
  const usage = reader.get<QuotaUsageState>(stateKey.quotaUsage(id));
  return {
    concurrent_tasks: usage?.open ?? 0,
    queued_tasks: usage?.queued ?? 0,
    tasks_per_hour: usage?.hour === hourOf(time) ? usage.submitted : 0,
  };
}

/** The first limit that one more task would pass, or undefined. */
export function exhausted(
  { limits }: QuotaRow,
  usage: Record<QuotaLimit, number>,
  counted: readonly QuotaLimit[] = QUOTA_LIMITS,
): QuotaLimit | undefined {
  return counted.find((limit) => usage[limit] >= (limits[limit] ?? Number.POSITIVE_INFINITY));
}

/** When the hour of `time` is over. */
export function nextHour(time: string): string {
  return timestamp(Date.parse(`${hourOf(time)}:00:00.000Z`) + HOUR_MS);
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
      return reader.get<PersonaState>(stateKey.persona(owner))?.internal.tenant === caller.tenant;
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
