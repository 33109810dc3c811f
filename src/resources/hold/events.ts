import { z } from 'zod';
import { hold } from './schema.ts';

/** Payloads of what becomes of holds. */
export const HOLD_EVENTS = {
  'vendor.harn_gateway.hold_created': z.object({ hold }),
  'vendor.harn_gateway.hold_released': hold.pick({
    released_at: true,
    released_by: true,
    release_reason: true,
  }),
} as const;
