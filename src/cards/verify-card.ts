import { decodeProtectedHeader, flattenedVerify, importJWK, type JWK } from 'jose';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { decodeStrictBase64 } from '#receipts/strict-base64.ts';
import type { CardSignatureStatus, CardVerdict } from '#resources/agent/schema.ts';
import { type PayloadForm, payloadForms } from './payload-forms.ts';
import { type FindKeys, isFor, keysNamed } from './trusted-keys.ts';
import { verdictOf } from './verdict.ts';

/** Asymmetric ones only: with a symmetric key every reader could sign. */
const CARD_ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'PS256', 'RS256'] as const;

/** A card is signed once or, while keys rotate, a few times; more only cost time. */
const MAX_SIGNATURES = 8;

/** Members by which a signature would bring its own key. Spec: RFC 7515, 4.1.3 to 4.1.6. */
const EMBEDDED_KEYS = ['jwk', 'x5c', 'x5u'];

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
  const keys = keysNamed(trusted.keys, read.keyId, nowMs);
  const found = { ...read, keys: trusted.from };
  if (!Array.isArray(keys)) return verdictOf(keys, found);
  for (const { covers, text } of forms) {
    for (const key of keys) {
      if (await signs(key, read, text)) return verdictOf('verified', { ...found, covers });
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

async function signs(key: JsonObject, { algorithm, ...jws }: Signature, text: string): Promise<boolean> {
  // Readers of base64url are lenient: of many spellings of the same bytes only one is a signature.
  const isSpelled = decodeStrictBase64(jws.signature, 'base64url') !== undefined;
  if (!isSpelled || !isFor(key, algorithm)) return false;
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
