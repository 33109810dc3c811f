import { z } from 'zod';
import { time } from '#protocol/envelope.ts';
import { signingKey } from './signing-key-schema.ts';

/** Payloads of what happens to signing keys. */
export const KEY_EVENTS = {
  /** What the key registry says of a key from now on; the private half is in no event. */
  'vendor.harn_gateway.signing_key_changed': z.object({
    key_id: z.string(),
    status: signingKey.shape.status,
    not_before: time,
    not_after: time.nullable(),
    revoked_at: time.nullable(),
  }),
} as const;
