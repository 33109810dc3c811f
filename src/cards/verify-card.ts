import { decodeProtectedHeader, flattenedVerify, importJWK, type JWK } from 'jose';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import {
  CARD_SIGNATURE_STATUS,
  type CardSignatureStatus,
  type CardVerdict,
} from '../protocol/resources/agent.ts';
import { type Coverage, type PayloadForm, payloadForms } from './payload-forms.ts';

/** Asymmetric ones only: with a symmetric key every reader could sign. Source: contract C23. */
export const CARD_ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'PS256', 'RS256'] as const;

/** A card is signed once or, while keys rotate, a few times; more only cost time. */
const MAX_SIGNATURES = 8;

/** Members by which a signature would bring its own key. Spec: RFC 7515, 4.1.3 to 4.1.6. */
const EMBEDDED_KEYS = ['jwk', 'x5c', 'x5u'];

/** Keys that may have signed a card, or why there are none. */
export type TrustedKeys =
  | { from: NonNullable<CardVerdict['keys']>; keys: readonly JsonValue[] }
  | { refused: 'key_url_refused' | 'keys_unavailable' };

/** Finds the keys to trust for a signature; `keyUrl` is the `jku` of its protected header. Never rejects. */
export type FindKeys = (keyUrl: string | undefined) => Promise<TrustedKeys>;

/**
 * Judges the signatures of an A2A card: one good one suffices. Never rejects. Keys come from the caller alone, never from
 * the card. Time decides about keys with a period of validity (epoch milliseconds).
 */
export async function verifyCard(card: JsonObject, findKeys: FindKeys, nowMs: number): Promise<CardVerdict> {
  const { signatures } = card;
  if (signatures === undefined || (Array.isArray(signatures) && signatures.length === 0))
    return verdictOf('unsigned');
  if (!Array.isArray(signatures)) return verdictOf('malformed');
  const forms = formsOf(card);
  if (forms === undefined) return verdictOf('malformed');
  let best: CardVerdict | undefined;
  for (const entry of signatures.slice(0, MAX_SIGNATURES)) {
    const verdict = await verifyEntry(entry, forms, findKeys, nowMs);
    if (verdict.covers === 'card') return verdict;
    if (best === undefined || (best.status !== 'verified' && verdict.status === 'verified')) best = verdict;
  }
  return best ?? verdictOf('malformed');
}

function formsOf(card: JsonObject): PayloadForm[] | undefined {
  try {
    return payloadForms(card);
  } catch {
    return undefined;
  }
}

interface Signature {
  protected: string;
  signature: string;
  algorithm: string;
  keyId: string;
  keyUrl: string | undefined;
}

async function verifyEntry(
  entry: JsonValue,
  forms: readonly PayloadForm[],
  findKeys: FindKeys,
  nowMs: number,
): Promise<CardVerdict> {
  const read = readSignature(entry);
  if ('refused' in read) return verdictOf(read.refused, read);
  const trusted = await findKeys(read.keyUrl);
  if ('refused' in trusted) return verdictOf(trusted.refused, read);
  const named = trusted.keys.filter((key) => isPublicKey(key) && key['kid'] === read.keyId);
  const found = { ...read, keys: trusted.from };
  if (named.length === 0) return verdictOf('unknown_key', found);
  const usable = named.filter((key) => isValidAt(key as JsonObject, nowMs));
  if (usable.length === 0) return verdictOf('key_not_valid', found);
  for (const { covers, text } of forms) {
    for (const key of usable) {
      if (await signs(key as JsonObject, read, text)) return verdictOf('verified', { ...found, covers });
    }
  }
  return verdictOf('invalid_signature', found);
}

function readSignature(
  entry: JsonValue,
): Signature | { refused: CardSignatureStatus; algorithm?: string; keyId?: string } {
  if (!isObject(entry)) return { refused: 'malformed' };
  const { protected: head, signature } = entry;
  if (typeof head !== 'string' || typeof signature !== 'string') return { refused: 'malformed' };
  const header = readHeader(head);
  const { alg, kid, jku, crit } = header ?? {};
  if (header === undefined || typeof alg !== 'string' || crit !== undefined) return { refused: 'malformed' };
  const named = { algorithm: alg, ...(typeof kid === 'string' ? { keyId: kid } : {}) };
  if (!CARD_ALGORITHMS.some((allowed) => allowed === alg)) return { refused: 'algorithm_refused', ...named };
  if (EMBEDDED_KEYS.some((name) => Object.hasOwn(header, name)))
    return { refused: 'embedded_key_refused', ...named };
  if (typeof kid !== 'string' || (jku !== undefined && typeof jku !== 'string'))
    return { refused: 'malformed', ...named };
  return { protected: head, signature, algorithm: alg, keyId: kid, keyUrl: jku };
}

function readHeader(text: string): JsonObject | undefined {
  try {
    return decodeProtectedHeader({ protected: text }) as JsonObject;
  } catch {
    return undefined;
  }
}

/** A key that could sign, or that everybody knows, is no key to verify with. */
function isPublicKey(key: JsonValue): key is JsonObject {
  return isObject(key) && key['kty'] !== 'oct' && !Object.hasOwn(key, 'd') && key['use'] !== 'enc';
}

/** `nbf` and `exp` as the JWKS of a gateway says them, in seconds; a revoked key has `revoked`. */
function isValidAt(key: JsonObject, nowMs: number): boolean {
  const { nbf, exp, revoked } = key;
  if (revoked !== undefined && revoked !== false && revoked !== null) return false;
  if (typeof nbf === 'number' && nowMs < nbf * 1000) return false;
  return !(typeof exp === 'number' && nowMs >= exp * 1000);
}

async function signs(key: JsonObject, { algorithm, ...jws }: Signature, text: string): Promise<boolean> {
  try {
    const publicKey = await importJWK(key as JWK, algorithm);
    const payload = Buffer.from(text).toString('base64url');
    const input = { payload, protected: jws.protected, signature: jws.signature };
    await flattenedVerify(input, publicKey, { algorithms: [algorithm] });
    return true;
  } catch {
    // Wrong bytes, a key of another kind, a key too weak: for a reader of the card they are one thing.
    return false;
  }
}

interface Found {
  algorithm?: string;
  keyId?: string;
  keys?: CardVerdict['keys'];
  covers?: Coverage;
}

function verdictOf(status: CardSignatureStatus, found: Found = {}): CardVerdict {
  return {
    status,
    reason: CARD_SIGNATURE_STATUS[status],
    key_id: found.keyId ?? null,
    algorithm: found.algorithm ?? null,
    keys: found.keys ?? null,
    covers: found.covers ?? null,
  };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
