import { z } from 'zod';
import { halt } from './schema.ts';

/** Payloads of what becomes of halts. */
export const HALT_EVENTS = {
  'vendor.harn_gateway.halt_created': z.object({ halt }),
  'vendor.harn_gateway.halt_released': halt.pick({
    released_at: true,
    released_by: true,
    release_reason: true,
  }),
} as const;
