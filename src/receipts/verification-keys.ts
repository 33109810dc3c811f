import { type KeyObject, verify } from 'node:crypto';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf } from '#protocol/json-shape.ts';
import { PUBLIC_KEY_BYTES, publicKeyOf, SIGNATURE_BYTES } from './ed25519.ts';
import { decodeStrictBase64 } from './strict-base64.ts';

/** A public key as served at /.well-known/jwks.json, with its window as RFC 3339 times. Spec: RFC 8037. */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  alg: 'EdDSA';
  use: 'sig';
  not_before: string;
  /** Absent while the key signs. */
  not_after?: string;
  revoked_at?: string;
}

/**
 * Keys that may be trusted, and beside them those that were revoked: a reader that knows only `keys` (RFC 7517) trusts no
 * revoked key, and one that knows windows can still check what such a key signed before.
 */
export interface PublicJwks {
  keys: PublicJwk[];
  revoked_keys: PublicJwk[];
}

/** A public key with the time in which its signatures count. Epoch milliseconds; both ends belong to the window. */
export interface VerificationKey {
  readonly key: KeyObject;
  readonly notBeforeMs: number;
  /** Undefined: still signs. */
  readonly notAfterMs: number | undefined;
  /** What it signed from this moment on counts as forged. */
  readonly revokedAtMs: number | undefined;
}

/** The keys a verifier trusts, by key id: a registry of the gateway, or a JWKS file of it. Never from a receipt. */
export type VerificationKeys = ReadonlyMap<string, VerificationKey>;

export type SignatureVerdict = 'ok' | 'unknown_key' | 'outside_window' | 'invalid_signature';

export interface SignatureClaim {
  keyId: string;
  bytes: Uint8Array;
  signature: Uint8Array | string;
  timesMs: readonly number[];
  /** The signature was made at those times or later: a replay repeats recorded times. Then only the end of the window counts. */
  orLater?: boolean;
}

/**
 * Checks a raw signature, or one in standard base64 in its only correct spelling, made at one of `timesMs`; all of them have
 * to lie in the window of the key. Never throws.
 */
export function verifySignature(keys: VerificationKeys, claim: SignatureClaim): SignatureVerdict {
  const found = keys.get(claim.keyId);
  if (found === undefined) return 'unknown_key';
  const { signature } = claim;
  const raw = typeof signature === 'string' ? decodeStrictBase64(signature, 'base64') : signature;
  if (raw?.length !== SIGNATURE_BYTES) return 'invalid_signature';
  if (!verify(null, claim.bytes, found.key, raw)) return 'invalid_signature';
  const window = claim.orLater ? { ...found, notBeforeMs: Number.NEGATIVE_INFINITY } : found;
  return claim.timesMs.every((ms) => isInWindow(window, ms)) ? 'ok' : 'outside_window';
}

function isInWindow({ notBeforeMs, notAfterMs, revokedAtMs }: VerificationKey, ms: number): boolean {
  if (Number.isNaN(ms) || ms < notBeforeMs) return false;
  return (notAfterMs === undefined || ms <= notAfterMs) && (revokedAtMs === undefined || ms < revokedAtMs);
}

/** The text is no set of keys; the message says which member is wrong. */
export class KeySetError extends Error {
  override readonly name = 'KeySetError';
}

/**
 * The Ed25519 keys of a JWKS document as this gateway serves it; other kinds of key, and those that are said to be for something
 * else, are left out. Refuses a set in which a key is of small order or misspelled, two have one id, or the private half is
 * published. Throws KeySetError. Spec: RFC 7517, RFC 8037.
 */
export function keysOfJwks(document: JsonValue): VerificationKeys {
  const members = objectOf(document);
  if (!Array.isArray(members['keys'])) throw new KeySetError('keys: a JWKS document has a list of keys');
  const revoked = members['revoked_keys'] ?? [];
  if (!Array.isArray(revoked)) throw new KeySetError('revoked_keys: must be a list of keys');
  const keys = new Map<string, VerificationKey>();
  const rows = [
    ...members['keys'].map((row, n) => [row, `keys[${n}]`] as const),
    ...revoked.map((row, n) => [row, `revoked_keys[${n}]`] as const),
  ];
  for (const [row, where] of rows) {
    const jwk = ed25519Row(row, where);
    if (jwk === undefined) continue;
    if (keys.has(jwk.kid)) throw new KeySetError(`${where}.kid: another key has this id already`);
    keys.set(jwk.kid, keyOf(jwk, where));
  }
  return keys;
}

function ed25519Row(row: JsonValue, where: string): PublicJwk | undefined {
  if (!isObject(row)) throw new KeySetError(`${where}: no key`);
  if (row['kty'] !== 'OKP' || row['crv'] !== 'Ed25519' || !isForSignatures(row)) return undefined;
  if (row['d'] !== undefined)
    throw new KeySetError(`${where}.d: everybody who has read this private key can sign with it`);
  for (const name of ['kid', 'x'])
    if (typeof row[name] !== 'string' || row[name] === '') throw new KeySetError(`${where}.${name}: missing`);
  return row as unknown as PublicJwk;
}

/** EdDSA is the name of RFC 8037, Ed25519 that of RFC 9864. */
const ALGORITHMS: readonly unknown[] = [undefined, 'EdDSA', 'Ed25519'];

/** As far as the key says what it is for. */
function isForSignatures({ use, alg }: JsonObject): boolean {
  return (use === undefined || use === 'sig') && ALGORITHMS.includes(alg);
}

/** A key of the set as it verifies. Throws KeySetError naming the member. */
export function keyOf(jwk: PublicJwk, where: string): VerificationKey {
  const raw = decodeStrictBase64(jwk.x, 'base64url');
  if (raw?.length !== PUBLIC_KEY_BYTES) throw new KeySetError(`${where}.x: must be 32 bytes in base64url`);
  return {
    key: trusted(raw, where),
    notBeforeMs: timeOf(jwk.not_before, `${where}.not_before`) ?? Number.NEGATIVE_INFINITY,
    notAfterMs: timeOf(jwk.not_after, `${where}.not_after`),
    revokedAtMs: timeOf(jwk.revoked_at, `${where}.revoked_at`),
  };
}

function trusted(raw: Buffer, where: string): KeyObject {
  try {
    return publicKeyOf(raw);
  } catch (cause) {
    throw new KeySetError(`${where}.x: a key of small order verifies forged signatures`, { cause });
  }
}

function timeOf(value: JsonValue | undefined, where: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw new KeySetError(`${where}: must be an RFC 3339 time`);
  return ms;
}
