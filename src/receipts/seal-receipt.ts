import { createHash, hash } from 'node:crypto';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { ReceiptContent } from './receipt-draft.ts';

/** Signs the hash of a receipt. Its key does not change between the two uses of it in one receipt. */
export interface ReceiptKey {
  readonly keyId: string;
  sign(bytes: Uint8Array): Uint8Array;
}

export interface SealedReceipt {
  /** `sha256:` and hex. */
  hash: string;
  /** The canonical receipt as it is stored and served. */
  bytes: Buffer;
}

/** Members before `chain`, with it as the last; `chain` ends with the hash that is left out of the hashed text. */
const THROUGH_CHAIN = ['approvals', 'autonomy_budget', 'chain'] as const;
const THROUGH_SIDE_EFFECTS = [
  'cost',
  'deltas',
  'final_artifacts',
  'identifiers',
  'issued_at',
  'issuer',
  'lifecycle',
  'metadata',
  'model_route',
  'receipt_id',
  'redactions',
  'replay_input',
  'schema',
  'side_effects',
] as const;
const AFTER_SIGNATURES = ['subject', 'trust'] as const;

/** The bytes about to be written do not have the hash of what they were made from: memory or code is broken. */
export class ReceiptSealError extends Error {
  override readonly name = 'ReceiptSealError';
}

/**
 * Hashes a receipt over its RFC 8785 text without `chain.receipt_hash` and `signatures`, signs that hash, and returns the
 * bytes with both. The text is put together once and the two members are written between its pieces; before anything is
 * signed, the hash is made again from the bytes, into which only the signature goes then. There is no `signed_at`: nothing
 * would cover it, and `issued_at` is hashed. Without a key the receipt has no `signatures`, as in a replay. Throws
 * ReceiptSealError. Spec: Agents Protocol v1, "Receipt wire format"; contract section 3.
 */
export function sealReceipt(content: ReceiptContent, key: ReceiptKey | null): SealedReceipt {
  const [first, middle, last] = piecesOf(content);
  const text = `${first}}${middle}${last}`;
  const digest = `sha256:${hash('sha256', text, 'hex')}`;
  const chainEnd = Buffer.byteLength(first);
  const hashMember = Buffer.from(`${HASH_MEMBER}"${digest}"`);
  const bytes = withInserted(Buffer.from(text), chainEnd, hashMember);
  refuseOther(digest, bytes, chainEnd, chainEnd + hashMember.length);
  if (key === null) return { hash: digest, bytes };
  const signature = Buffer.from(key.sign(Buffer.from(digest))).toString('base64');
  const said = {
    algorithm: 'ed25519',
    key_id: key.keyId,
    signature: `base64:${signature}`,
  };
  const signatures = Buffer.from(`"signatures":[${JSON.stringify(said)}],`);
  return { hash: digest, bytes: withInserted(bytes, bytes.length - Buffer.byteLength(last), signatures) };
}

/** `{...,"chain":{...}` without the brace that closes `chain`; the members in between; the last ones with the end. */
type Pieces = readonly [string, string, string];

function piecesOf(content: ReceiptContent): Pieces {
  const members = content as unknown as JsonObject;
  const first = spelled(picked(members, THROUGH_CHAIN)).slice(0, -2);
  const middle = spelled(picked(members, THROUGH_SIDE_EFFECTS)).slice(1, -1);
  return [first, `,${middle},`, spelled(picked(members, AFTER_SIGNATURES)).slice(1)];
}

/** A member name that objects keep before all others, whatever the order they were written in. */
const NUMBER_NAME = /"(?:0|[1-9]\d*)":/;

/** The members are written in canonical order; only names that are whole numbers need the longer way. */
function spelled(members: JsonObject): string {
  const text = JSON.stringify(members);
  return NUMBER_NAME.test(text) ? canonicalJson(members) : text;
}

function picked(members: JsonObject, names: readonly string[]): JsonObject {
  const some: JsonObject = {};
  for (const name of names) {
    const value: JsonValue | undefined = members[name];
    if (value !== undefined) some[name] = value;
  }
  return some;
}

const HASH_MEMBER = ',"receipt_hash":';

function withInserted(bytes: Buffer, at: number, member: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), member, bytes.subarray(at)]);
}

/** Takes the hash out of the bytes again, at the places where it was put in. */
function refuseOther(digest: string, bytes: Buffer, start: number, end: number): void {
  const again = createHash('sha256')
    .update(bytes.subarray(0, start))
    .update(bytes.subarray(end))
    .digest('hex');
  if (digest !== `sha256:${again}`)
    throw new ReceiptSealError('A receipt changed between its hash and its bytes. Nothing was signed.');
}
