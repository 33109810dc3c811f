import type { Handlers } from '#core/handlers.ts';
import { listTrustRecords } from './queries.ts';

export const trustHandlers = {
  listTrustRecords,
} satisfies Partial<Handlers>;
