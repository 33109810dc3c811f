import type { UsageRow } from '#protocol/usage.ts';

/**
 * Members of the metadata of a Task, a status update or a message by which an agent reports what its task used so far, in all.
 * A2A has no words for it; these are ours. Metadata of artifacts and of earlier messages is not read.
 */
export const A2A_USAGE = [
  { at: ['usage', 'input_tokens'], to: 'input_tokens' },
  { at: ['usage', 'output_tokens'], to: 'output_tokens' },
  { at: ['usage', 'cost_usd'], to: 'usd', loses: 'nothing: where `cost` is there too, that counts' },
  { at: ['usage', 'cost', 'amount'], to: 'amount' },
  { at: ['usage', 'cost', 'currency'], to: 'currency', loses: 'units that are no currency, such as credits' },
  { at: ['model'], to: 'model', loses: 'models but the newest, where several worked' },
  { at: ['model_provider'], to: 'provider', loses: 'the provider of a model without a name' },
] as const satisfies readonly UsageRow[];
