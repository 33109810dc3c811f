import type { Quota, QuotaRow } from '../../protocol/resources/quota.ts';
import { ok } from '../answer.ts';
import { listGiven } from '../list-page.ts';
import { notFound } from '../load.ts';
import type { Query, QueryTools } from '../query.ts';
import { exhausted, nextHour, seesQuota, usageOf } from '../quota-usage.ts';
import { paging } from './workspaces.ts';

export const listQuotas: Query<'listQuotas'> = ({ query }, tools) => {
  const shown = visible(tools).map((row) => resourceOf(row, tools));
  return listGiven(tools, shown, paging(query));
};

export const getQuota: Query<'getQuota'> = ({ path }, tools) => {
  const found = visible(tools).find(({ id }) => id === path.quota_id);
  if (!found) throw notFound('quota');
  return ok(resourceOf(found, tools), tools.caller);
};

function visible({ self, reader, caller }: QueryTools): QuotaRow[] {
  return self.quotas.filter((row) => seesQuota(reader, caller, row));
}

function resourceOf(row: QuotaRow, { self, reader, time }: QueryTools): Quota {
  const usage = usageOf(reader, row.id, time);
  const limits = Object.entries(row.limits).filter(
    (entry): entry is [string, number] => entry[1] !== undefined,
  );
  return {
    id: row.id,
    object: 'quota',
    created_at: self.startedAt,
    updated_at: self.startedAt,
    metadata: {},
    scope: row.scope,
    owner_id: row.owner ?? null,
    limits: Object.fromEntries(limits),
    usage,
    reset_at: row.limits.tasks_per_hour === undefined ? null : nextHour(time),
    hard_limit: row.hard_limit,
    soft_limit: !row.hard_limit,
    exhaustion_reason: exhausted(row, usage) ?? null,
    last_receipt_id: null,
  };
}
