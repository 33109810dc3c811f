import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import type { JsonObject } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { decodeStrictBase64 } from '#receipts/strict-base64.ts';
import type { CardVerdict } from '#resources/agent/schema.ts';
import { harnPayload } from './sign-card.ts';
import { type FindKeys, isFor, keysNamed } from './trusted-keys.ts';
import { verdictOf } from './verdict.ts';

const ALGORITHM = 'ed25519';
const PREFIX = 'base64:';

/**
 * Judges the signature of a HarnAgentCard; the A2A card in it has signatures of its own. Never rejects. Source:
 * Agents Protocol v1, "HarnAgentCard".
 */
export async function verifyHarnCard(
  card: JsonObject,
  findKeys: FindKeys,
  nowMs: number,
): Promise<CardVerdict> {
  const { signature } = card;
  if (signature === undefined || signature === null) return verdictOf('unsigned');
  if (!isObject(signature)) return verdictOf('malformed');
  const { algorithm, key_id: keyId, value } = signature;
  if (typeof algorithm !== 'string' || typeof keyId !== 'string' || typeof value !== 'string')
    return verdictOf('malformed');
  const found = { algorithm, keyId };
  if (algorithm !== ALGORITHM) return verdictOf('algorithm_refused', found);
  const trusted = await findKeys(undefined);
  if ('refused' in trusted) return verdictOf(trusted.refused, found);
  const keys = keysNamed(trusted.keys, keyId, nowMs);
  if (!Array.isArray(keys)) return verdictOf(keys, { ...found, keys: trusted.from });
  const isGood = keys.some((key) => signs(key, card, value));
  if (!isGood) return verdictOf('invalid_signature', { ...found, keys: trusted.from });
  return verdictOf('verified', { ...found, keys: trusted.from, covers: 'card' });
}

function signs(jwk: JsonObject, card: JsonObject, value: string): boolean {
  const signature = value.startsWith(PREFIX)
    ? decodeStrictBase64(value.slice(PREFIX.length), 'base64')
    : undefined;
  if (signature === undefined || !isFor(jwk, ALGORITHM)) return false;
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const isEd25519 = key.asymmetricKeyType === ALGORITHM;
    return isEd25519 && verify(null, Buffer.from(harnPayload(card)), key, signature);
  } catch {
    // A key that is none, or a card without a canonical form: nothing was signed.
    return false;
  }
}
