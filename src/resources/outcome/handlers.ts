import type { Handlers } from '#core/handlers.ts';
import { getOutcome, listOutcomes } from './queries.ts';

export const outcomeHandlers = {
  getOutcome,
  listOutcomes,
} satisfies Partial<Handlers>;
