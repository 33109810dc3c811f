import { z } from 'zod';
import { envelope, time } from '#protocol/envelope.ts';

/**
 * The public half of a key that signs receipts, heads of the receipt log and cards. `id` is the `key_id` of its signatures and
 * the `kid` of the key set. It signs from `not_before` through `not_after`, and nothing from `revoked_at` on.
 */
export const signingKey = envelope('signing_key', {
  algorithm: z.literal('Ed25519'),
  /** Raw 32 bytes, base64url. */
  public_key: z.string(),
  status: z.enum(['current', 'retired', 'revoked']),
  not_before: time,
  not_after: time.nullable(),
  revoked_at: time.nullable(),
}).meta({ id: 'SigningKey' });
export type SigningKey = z.infer<typeof signingKey>;

const publicJwk = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
  not_before: time,
  not_after: time.optional(),
  revoked_at: time.optional(),
});

/** Spec: RFC 7517. Revoked keys stand apart, so that a reader of `keys` alone trusts none of them. */
export const keySet = z
  .object({ keys: z.array(publicJwk), revoked_keys: z.array(publicJwk) })
  .meta({ id: 'KeySet' });
