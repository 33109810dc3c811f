import { z } from 'zod';
import { apiKey } from './schema.ts';

/** Payloads of what becomes of API keys. */
export const API_KEY_EVENTS = {
  'vendor.harn_gateway.api_key_created': z.object({ api_key: apiKey, hash: z.string() }),
  'vendor.harn_gateway.api_key_ended': apiKey.pick({
    expires_at: true,
    revoked_at: true,
    replaced_by: true,
  }),
} as const;
