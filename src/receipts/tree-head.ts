import { canonicalJson } from '#json/canonical.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { TreeHead } from '#resources/receipt/schema.ts';
import type { SigningKey } from './key-registry.ts';
import { type HexHash, rootOf } from './merkle.ts';
import { type SignatureVerdict, type VerificationKeys, verifySignature } from './verification-keys.ts';

const SIGNATURE_PREFIX = 'base64:';

/** Signs what the log is at this size; `log_id` keeps one log from posing as another. */
export function signTreeHead(
  facts: { logId: string; size: number; frontier: readonly HexHash[]; time: string },
  key: SigningKey,
): TreeHead {
  const head: Omit<TreeHead, 'signature'> = {
    object: 'receipt_log_head',
    log_id: facts.logId,
    size: facts.size,
    root: `sha256:${rootOf(facts.frontier)}`,
    timestamp: facts.time,
    algorithm: 'ed25519',
    key_id: key.keyId,
  };
  return { ...head, signature: SIGNATURE_PREFIX + key.sign(signedBytes(head)).toString('base64') };
}

/** Whether a known key signed this head inside of its window. Never throws for a head of the schema. */
export function verifyTreeHead({ signature, ...head }: TreeHead, keys: VerificationKeys): SignatureVerdict {
  if (!signature.startsWith(SIGNATURE_PREFIX)) return 'invalid_signature';
  return verifySignature(keys, {
    keyId: head.key_id,
    bytes: signedBytes(head),
    signature: signature.slice(SIGNATURE_PREFIX.length),
    timesMs: [Date.parse(head.timestamp)],
  });
}

/** The RFC 8785 bytes of the head without its signature. */
function signedBytes(head: Omit<TreeHead, 'signature'>): Buffer {
  return Buffer.from(canonicalJson(head as unknown as JsonValue));
}
