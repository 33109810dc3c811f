import type { Handlers } from '#core/handlers.ts';
import { explainPolicy } from './queries.ts';

export const policyHandlers = {
  explainPolicy,
} satisfies Partial<Handlers>;
