import type { Handlers } from '#core/handlers.ts';
import { getQuota, listQuotas } from './queries.ts';

export const quotaHandlers = {
  getQuota,
  listQuotas,
} satisfies Partial<Handlers>;
