import type { EventLog } from '#eventlog/event-log.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { WireReceipt } from '#resources/receipt/schema.ts';
import { receiptKey } from '#store/keys.ts';
import type { ExportedRun } from './exported-run.ts';

/** What the receipts of the Tasks say was used, together. */
export async function usageOf(run: ExportedRun, log: EventLog): Promise<JsonObject> {
  const sum = { call_count: 0, input_tokens: 0, output_tokens: 0, total_cost: 0, total_duration_ms: 0 };
  const models = new Set<string>();
  for await (const { resource, internal } of run.tasks()) {
    if (internal.replay || resource.receipt_id === null) continue;
    const bytes = log.record(receiptKey(resource.receipt_id));
    if (bytes === undefined) continue;
    const { autonomy_budget, model_route, cost }: WireReceipt = JSON.parse(bytes.toString('utf8'));
    const { input_tokens = 0, output_tokens = 0, wall_time_ms = 0 } = autonomy_budget.consumed;
    sum.call_count += 1;
    sum.input_tokens += input_tokens;
    sum.output_tokens += output_tokens;
    sum.total_cost += cost.total;
    sum.total_duration_ms += wall_time_ms;
    const { provider, model } = model_route.chosen_model;
    if (model !== 'none') models.add(`${provider}/${model}`);
  }
  return { ...sum, models: [...models].sort() };
}
