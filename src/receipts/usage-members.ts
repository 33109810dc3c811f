import type { WireReceipt } from '../protocol/resources/receipt.ts';
import { wholeText } from './canonical-order.ts';
import type { RunRecord } from './receipt-draft.ts';

/**
 * The members of a receipt about models and money, from what the agent says that it used: the gateway calls no model and pays
 * none. Members are in RFC 8785 order.
 */

const NO_MODEL: WireReceipt['model_route'] = {
  alternatives_considered: [],
  chosen_model: { model: 'none', provider: 'none' },
  route_policy_reason: 'The gateway made no model call of its own.',
};
const NO_COST: WireReceipt['cost'] = { currency: 'USD', provider_breakdown: [], total: 0 };
/** The ISO 4217 code for no currency: amounts of several are not added. */
const SEVERAL = 'XXX';

export function modelRouteOf({ usage }: RunRecord): WireReceipt['model_route'] {
  if (usage?.model === undefined) return NO_MODEL;
  const { name, provider } = usage.model;
  return {
    alternatives_considered: [],
    chosen_model: { model: wholeText(name), provider: wholeText(provider) },
    route_policy_reason: 'The agent names this model; the gateway did not choose it.',
  };
}

/** Of several currencies there is no total: it is 0 XXX, and each amount has a row that names its currency. */
export function costOf({ usage }: RunRecord): WireReceipt['cost'] {
  const [cost, ...more] = usage?.costs ?? [];
  if (usage === null || cost === undefined) return NO_COST;
  const { model, input_tokens, output_tokens } = usage;
  const provider = wholeText(model?.provider ?? usage.agent);
  const named = model === undefined ? {} : { model: wholeText(model.name) };
  if (more.length > 0) {
    const rows = usage.costs.map(({ amount, currency }) => ({
      amount,
      metadata: { currency },
      ...named,
      provider,
    }));
    return { currency: SEVERAL, provider_breakdown: rows, total: 0 };
  }
  const row = {
    amount: cost.amount,
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...named,
    ...(output_tokens === undefined ? {} : { output_tokens }),
    provider,
  };
  return { currency: cost.currency, provider_breakdown: [row], total: cost.amount };
}

/** `usd` is left out where anything was paid in another currency. */
export function consumedBy({ usage, toolCallCount, wallTimeMs }: RunRecord) {
  const { input_tokens, output_tokens, costs = [] } = usage ?? {};
  const isDollars = costs.every(({ currency }) => currency === 'USD');
  return {
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...(output_tokens === undefined ? {} : { output_tokens }),
    tool_calls: toolCallCount,
    ...(isDollars ? { usd: costs[0]?.amount ?? 0 } : {}),
    wall_time_ms: wallTimeMs,
  };
}
