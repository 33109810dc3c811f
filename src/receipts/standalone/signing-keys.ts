import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** A public key and the time in which its signatures count, epoch milliseconds, both ends included. */
interface SigningKey {
  key: KeyObject;
  fromMs: number;
  throughMs: number;
  revokedMs: number;
}

export type SigningKeys = ReadonlyMap<string, SigningKey>;

const P = 2n ** 255n - 19n;
/** y coordinate of a point of order 8; the other one is its negative. */
const ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
/** The points whose multiples by 8 are zero. A signature by such a key fits every message. */
const SMALL_ORDER_Y: readonly bigint[] = [0n, 1n, P - 1n, ORDER_8, P - ORDER_8];

/** The Ed25519 keys of a JWKS document by `kid`, from `keys` and `revoked_keys`. Throws Error naming the key. */
export function signingKeys(jwks: unknown): SigningKeys {
  const set = jwks as { keys?: unknown; revoked_keys?: unknown };
  const keys = new Map<string, SigningKey>();
  for (const row of [...rowsOf(set.keys), ...rowsOf(set.revoked_keys ?? [])]) {
    if (row['kty'] !== 'OKP' || row['crv'] !== 'Ed25519' || !isForSignatures(row)) continue;
    if (row['d'] !== undefined) throw new Error('A key is published with its private half');
    const { kid, x } = row;
    if (typeof kid !== 'string' || typeof x !== 'string') throw new Error('A key has no kid or no x');
    if (keys.has(kid)) throw new Error(`Two keys have the kid ${kid}`);
    keys.set(kid, {
      key: publicKey(x, kid),
      fromMs: timeOf(row['not_before'], Number.NEGATIVE_INFINITY),
      throughMs: timeOf(row['not_after'], Number.POSITIVE_INFINITY),
      revokedMs: timeOf(row['revoked_at'], Number.POSITIVE_INFINITY),
    });
  }
  return keys;
}

/** Whether one of the keys made this signature (standard base64) at all of these times, or later where that is said. */
export function isSigned(
  keys: SigningKeys,
  claim: { keyId: string; text: string; signature: string; times: readonly string[]; orLater: boolean },
): boolean {
  const found = keys.get(claim.keyId);
  const bytes = Buffer.from(claim.signature, 'base64');
  if (found === undefined || bytes.toString('base64') !== claim.signature || bytes.length !== 64)
    return false;
  const { key, fromMs, throughMs, revokedMs } = found;
  const isTimely = claim.times
    .map(Date.parse)
    .every((ms) => (claim.orLater || ms >= fromMs) && ms <= throughMs && ms < revokedMs);
  return isTimely && verify(null, Buffer.from(claim.text), key, bytes);
}

/** A key may say what it is for; then it is for nothing else. */
function isForSignatures({ use, alg }: Record<string, unknown>): boolean {
  return (
    [undefined, 'sig'].some((word) => word === use) &&
    [undefined, 'EdDSA', 'Ed25519'].some((word) => word === alg)
  );
}

function rowsOf(list: unknown): Record<string, unknown>[] {
  if (!Array.isArray(list)) throw new Error('A JWKS document has a list of keys');
  return list;
}

function publicKey(x: string, kid: string): KeyObject {
  const bytes = Buffer.from(x, 'base64url');
  if (bytes.length !== 32 || bytes.toString('base64url') !== x)
    throw new Error(`The key ${kid} is misspelled`);
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & (2n ** 255n - 1n);
  if (SMALL_ORDER_Y.includes(y % P)) throw new Error(`The key ${kid} has small order`);
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

function timeOf(value: unknown, absent: number): number {
  if (value === undefined || value === null) return absent;
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw new Error('The window of a key is no RFC 3339 time');
  return ms;
}
