import type { UsageRow } from '#protocol/usage.ts';

/** The cost that a `usage_update` names: of the agent's session so far. Spec: ACP v1, `UsageUpdate`. */
export const USAGE_UPDATE = [
  { at: ['cost', 'amount'], to: 'amount' },
  { at: ['cost', 'currency'], to: 'currency', loses: 'units that are no currency, such as credits' },
  { at: ['_meta', '_claude/model'], to: 'model' },
  { at: ['used'], to: null, loses: 'how full the context is: that is no count of tokens used' },
  { at: ['size'], to: null, loses: 'how large the context is' },
] as const satisfies readonly UsageRow[];

/**
 * What the answer of `session/prompt` reports: of this turn or of the whole session, which the words of the schema leave open and
 * agents do either way; their growth says which. Gemini has a word of its own. Spec: ACP v1, `PromptResponse.usage`.
 */
export const PROMPT_USAGE = [
  { at: ['_meta', 'quota', 'token_count', 'input_tokens'], to: 'input_tokens' },
  { at: ['_meta', 'quota', 'token_count', 'output_tokens'], to: 'output_tokens' },
  { at: ['_meta', 'quota', 'model_usage', '0', 'model'], to: 'model', loses: 'the other models of the turn' },
  { at: ['usage', 'inputTokens'], to: 'input_tokens' },
  { at: ['usage', 'outputTokens'], to: 'output_tokens' },
  { at: ['usage', 'totalTokens'], to: null, loses: 'the sum of all kinds' },
  { at: ['usage', 'thoughtTokens'], to: null, loses: 'tokens of thoughts, which agents count in or beside' },
  { at: ['usage', 'cachedReadTokens'], to: null, loses: 'tokens read from a cache' },
  { at: ['usage', 'cachedWriteTokens'], to: null, loses: 'tokens written to a cache' },
] as const satisfies readonly UsageRow[];
