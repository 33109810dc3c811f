import type { DecisionTools, Facts } from '#core/facts.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { RULES } from '#policy/rules.ts';
import type { Clean, CleanText } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Failure } from '#protocol/task-states.ts';
import type { Persona } from '#resources/persona/schema.ts';
import type { CleanTaskState } from '#resources/task/state.ts';
import type { Workspace } from '#resources/workspace/schema.ts';
import { exceeded, exhausted, isUsedUp, type QuotaUse, seesQuota, usageOf } from './quota-usage.ts';
import { QUOTA_BUDGETS, type QuotaLimit, type QuotaReservation, type QuotaRow } from './schema.ts';

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
export function checkQuotas(tx: Transaction, facts: Facts, subject: QuotaSubject): CleanText[] {
  const full = fullQuota(tx, facts.self.quotas, subject);
  if (full !== undefined) throw refusal(full.quota, full.limit, full.use, tx, facts);
  return facts.self.quotas.filter((quota) => applies(quota, subject)).map(({ id }) => id);
}

/** The first quota of a new task that has no room for it. */
export function fullQuota(
  reader: StateReader & { time: string },
  quotas: readonly QuotaRow[],
  subject: QuotaSubject,
): { quota: QuotaRow; limit: QuotaLimit; use: QuotaUse } | undefined {
  for (const quota of quotas) {
    if (!applies(quota, subject)) continue;
    const use = usageOf(reader, quota, reader.time);
    const limit = exhausted(quota, use, subject.startsNow ? NOT_QUEUED : undefined);
    if (limit !== undefined) return { quota, limit, use };
  }
  return undefined;
}

const NOT_QUEUED: readonly QuotaLimit[] = ['concurrent_tasks', 'tasks_per_hour', ...QUOTA_BUDGETS];

/** What a task sets aside of these quotas: recorded with it, because its configuration may change before it ends. */
export function reservationsOf({ self }: Facts, quotaIds: readonly string[]): Clean<QuotaReservation>[] {
  return self.quotas.flatMap(({ id, window, currency, limits, per_task }) => {
    const hasBudget = QUOTA_BUDGETS.some((budget) => limits[budget] !== undefined);
    return hasBudget && quotaIds.includes(id) ? [{ quota_id: id, window, currency, amounts: per_task }] : [];
  });
}

/**
 * Why a task that was accepted may not go on, when runs have used more of one of its hard quotas than there is. Of a soft one it
 * may: what is accepted is not throttled.
 */
function quotaExcess(tx: Transaction, { self }: Pick<DecisionTools, 'self'>, task: CleanTaskState) {
  const counted = self.quotas.filter(
    ({ id, hard_limit }) => hard_limit && task.internal.quotas?.includes(id),
  );
  for (const quota of counted) {
    const use = usageOf(tx, quota, tx.time);
    const limit = exceeded(quota, use);
    if (limit !== undefined) return { quota, limit, use };
  }
  return undefined;
}

/** The same as what a task fails with that has not started yet; undefined when it may start. */
export function excessFailure(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
): Clean<Failure> | undefined {
  const found = quotaExcess(tx, tools, task);
  if (found === undefined) return undefined;
  const { limit, use } = found;
  const details = { limit, hard_limit: true, ...resetOf(limit, use) };
  return tools.redact<Failure>({
    code: 'policy_violation',
    type: 'permission_error',
    message: `Other tasks used more of a quota of ${limit} than there is, before this one could start. ${whenIsRoom(true, limit, use)}`,
    details,
  }).value;
}

/** A blocked task goes on at the cost of its quotas, so that its input is refused while one of them has nothing left. */
export function refuseExcess(tx: Transaction, facts: Facts, task: CleanTaskState): void {
  const found = quotaExcess(tx, facts, task);
  if (found !== undefined) throw refusal(found.quota, found.limit, found.use, tx, facts);
}

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
function refusal(
  quota: QuotaRow,
  limit: QuotaLimit,
  use: QuotaUse,
  tx: Transaction,
  { caller }: Facts,
): ProtocolError {
  const seen = seesQuota(tx, caller, quota) ? { quota_id: quota.id } : {};
  const { rule } = RULES[quota.hard_limit ? 'quota.hard' : 'quota.soft'];
  const details = { ...seen, limit, hard_limit: quota.hard_limit, rule, ...resetOf(limit, use) };
  const isOver = isUsedUp(quota, use, limit);
  const message = `A quota of ${limit} is used up. ${whenIsRoom(isOver, limit, use)}`;
  if (quota.hard_limit) return new ProtocolError('policy_violation', message, { details });
  const resetsAt = use.resets[limit];
  const untilReset = resetsAt && Math.ceil((Date.parse(resetsAt) - Date.parse(tx.time)) / 1000);
  const retryAfterSeconds = isOver && untilReset ? untilReset : RETRY_SECONDS;
  return new ProtocolError('rate_limited', message, { details, retryAfterSeconds });
}

function whenIsRoom(isUsedUpForNow: boolean, limit: QuotaLimit, { resets }: QuotaUse): string {
  if (!isUsedUpForNow) return 'Wait for a task to end, or ask your operator for more.';
  const resetsAt = resets[limit];
  if (resetsAt === undefined) return 'Ask your operator for more.';
  return `Wait until ${resetsAt}, or ask your operator for more.`;
}

function resetOf(limit: QuotaLimit, { resets }: QuotaUse): JsonObject {
  const reset_at = resets[limit];
  return reset_at === undefined ? {} : { reset_at };
}
