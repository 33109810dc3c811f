/** How much a model is asked to think, least first. Source: OpenAPI of agents-protocol-2026-10-11, SessionModelPolicy. */
export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/**
 * Note of a bridge about the model that the Session wishes for. Details: `provider`, `model`, `told` (what the agent took, by name),
 * `unmet` (members of the wish that do not hold: `model`, `reasoning_effort`).
 */
export const MODEL_POLICY_NOTE = 'model_policy';
