import type { Transaction } from '../eventlog/event-log.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { Persona } from '../protocol/resources/persona.ts';
import type { QuotaLimit, QuotaRow } from '../protocol/resources/quota.ts';
import type { Workspace } from '../protocol/resources/workspace.ts';
import type { Facts } from './facts.ts';
import { exhausted, nextHour, seesQuota, usageOf } from './quota-usage.ts';

/** Time after which another task may have ended. */
const RETRY_SECONDS = 2;

export interface QuotaSubject {
  workspace: Workspace;
  persona: Persona | undefined;
  /** Whether the task starts at once; it then takes no place in the queue. */
  startsNow: boolean;
}

/**
 * The quotas a new task counts against, once each of them has room for it. Throws 422 `policy_violation` for a hard
 * quota and 429 `rate_limited` for a soft one. Source: Agents Protocol v1, "Quota".
 */
export function checkQuotas(tx: Transaction, facts: Facts, subject: QuotaSubject): string[] {
  const applying = facts.self.quotas.filter((quota) => applies(quota, subject));
  for (const quota of applying) {
    const counted = subject.startsNow ? NOT_QUEUED : undefined;
    const limit = exhausted(quota, usageOf(tx, quota.id, tx.time), counted);
    if (limit !== undefined) throw refusal(quota, limit, tx, facts);
  }
  return applying.map(({ id }) => id);
}

const NOT_QUEUED: readonly QuotaLimit[] = ['concurrent_tasks', 'tasks_per_hour'];

/** By its owner, or because persona or workspace name it as theirs. */
function applies({ id, scope, owner }: QuotaRow, { workspace, persona }: QuotaSubject): boolean {
  if (workspace.quota_id === id || persona?.quota_id === id) return true;
  switch (scope) {
    case 'organization':
      return true;
    case 'tenant':
      return owner === workspace.tenant_id;
    case 'workspace':
      return owner === workspace.id;
    case 'persona':
      return owner === persona?.id;
  }
}

/** Names the quota to those who may see it. */
function refusal(quota: QuotaRow, limit: QuotaLimit, tx: Transaction, { caller }: Facts): ProtocolError {
  const seen = seesQuota(tx, caller, quota) ? { quota_id: quota.id } : {};
  const details = { ...seen, limit, hard_limit: quota.hard_limit };
  const hourly = limit === 'tasks_per_hour';
  const what = hourly ? 'the next hour' : 'a task to end';
  const message = `A quota of ${limit} is used up. Wait for ${what}, or ask your operator for more.`;
  if (quota.hard_limit) return new ProtocolError('policy_violation', message, { details });
  const resetSeconds = Math.ceil((Date.parse(nextHour(tx.time)) - Date.parse(tx.time)) / 1000);
  const retryAfterSeconds = hourly ? resetSeconds : RETRY_SECONDS;
  return new ProtocolError('rate_limited', message, { details, retryAfterSeconds });
}
