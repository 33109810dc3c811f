import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { isSmallOrder } from '#receipts/ed25519.ts';
import type { CardSignatureStatus, CardVerdict } from '#resources/agent/schema.ts';

/** Keys that may have signed a card, or why there are none. */
export type TrustedKeys =
  | { from: NonNullable<CardVerdict['keys']>; keys: readonly JsonValue[] }
  | { refused: 'key_url_refused' | 'keys_unavailable' };

/** Finds the keys to trust for a signature; `keyUrl` is the `jku` of its protected header. Never rejects. */
export type FindKeys = (keyUrl: string | undefined) => Promise<TrustedKeys>;

/**
 * The keys of a JWKS document, or undefined when it is none. Those that a gateway lists as revoked are among them, so that
 * their cards are distinguished from those of strangers. Spec: RFC 7517, 5.
 */
export function keysOfSet(document: JsonValue): JsonValue[] | undefined {
  if (!isObject(document) || !Array.isArray(document['keys'])) return undefined;
  const { keys, revoked_keys: listed } = document;
  const revoked = Array.isArray(listed) ? listed.filter(isObject) : [];
  return [...keys, ...revoked.map((key): JsonObject => ({ revoked_at: 'unknown', ...key }))];
}

/** The trusted public keys of an id that are good at a time (epoch milliseconds), or the word for why there are none. */
export function keysNamed(
  trusted: readonly JsonValue[],
  keyId: string,
  nowMs: number,
): JsonObject[] | Extract<CardSignatureStatus, 'unknown_key' | 'key_not_valid'> {
  const named = trusted.filter((key): key is JsonObject => isPublicKey(key) && key['kid'] === keyId);
  if (named.length === 0) return 'unknown_key';
  const valid = named.filter((key) => isValidAt(key, nowMs));
  return valid.length === 0 ? 'key_not_valid' : valid;
}

/** A key that could sign, that everybody knows, or that fits forged signatures is no key to verify with. */
function isPublicKey(key: JsonValue): key is JsonObject {
  if (!isObject(key) || key['kty'] === 'oct' || Object.hasOwn(key, 'd') || key['use'] === 'enc') return false;
  const { crv, x } = key;
  return crv !== 'Ed25519' || (typeof x === 'string' && !isSmallOrder(Buffer.from(x, 'base64url')));
}

/** Names of one algorithm: that of RFC 8037, and that of RFC 9864. */
const ALIASES: Readonly<Record<string, string>> = { Ed25519: 'EdDSA', ed25519: 'EdDSA' };
const nameOf = (algorithm: string): string => ALIASES[algorithm] ?? algorithm;

/** Whether the key may be used with the algorithm of a signature: one that says what it is for is for nothing else. */
export function isFor({ alg }: JsonObject, algorithm: string): boolean {
  return alg === undefined || (typeof alg === 'string' && nameOf(alg) === nameOf(algorithm));
}

/**
 * A card has no time at which it was signed, so its key has to be good now: neither revoked nor outside the window that the
 * key set of a gateway says (RFC 3339), or that `nbf` and `exp` say (seconds).
 */
function isValidAt(key: JsonObject, nowMs: number): boolean {
  if (typeof key['revoked_at'] === 'string') return false;
  const from = timeOf(key['not_before']) ?? secondsOf(key['nbf']) ?? Number.NEGATIVE_INFINITY;
  const until = timeOf(key['not_after']) ?? secondsOf(key['exp']) ?? Number.POSITIVE_INFINITY;
  return nowMs >= from && nowMs < until;
}

/** A time that cannot be read is NaN, and every comparison with it fails. */
function timeOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'string' ? Date.parse(value) : undefined;
}

function secondsOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value * 1000 : undefined;
}
