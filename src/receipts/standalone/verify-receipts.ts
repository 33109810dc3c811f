import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { asReceipt, type Receipt } from './receipt-shape.ts';

type Verdict = { ok: true } | { ok: false; step: string; index: number; expected: string; observed: string };

/** A perfect subtree of the Merkle tree over the receipts so far. */
interface Subtree {
  leaves: number;
  hash: Buffer;
}

/**
 * Verifies the receipts of one chain, from its first receipt on, against the keys of a JWKS document. Names the first receipt
 * that does not verify, by its place from 0, and the step: schema, canonicalize, compare, previous_hash, merkle, signatures.
 * Throws Error when the JWKS document holds a key that no one may trust.
 */
export function verifyReceipts(receipts: readonly unknown[], jwks: unknown): Verdict {
  const keys = signingKeys(jwks);
  const hashes = new Set<string>();
  const trees: Subtree[] = [];
  let newest: string | null = null;
  for (const [index, given] of receipts.entries()) {
    const fail = (step: string, expected: string, observed: string): Verdict => {
      return { ok: false, step, index, expected, observed };
    };
    const receipt = asReceipt(given);
    if (receipt === undefined) return fail('schema', 'a receipt of receipt-2026-04-25', 'something else');
    const { previous_receipt_hash: previous, receipt_hash: hash, merkle_root: root } = receipt.chain;
    const made = hashOf(receipt);
    if (made === undefined) return fail('canonicalize', 'a value that RFC 8785 can spell', 'another');
    if (made !== hash) return fail('compare', made, hash);
    // A replay follows the receipt of its source and is no link of the chain.
    const isReplay = receipt.subject.object === 'replay_segment';
    const follows = isReplay ? previous === null || hashes.has(previous) : previous === newest;
    if (!follows) return fail('previous_hash', String(newest), String(previous));
    const expectedRoot = isReplay || trees.length === 0 ? undefined : rootOf(trees);
    if (root !== expectedRoot) return fail('merkle', String(expectedRoot), String(root));
    const flaw = signatureFlaw(receipt, keys);
    if (flaw !== undefined) return fail('signatures', 'valid signatures', flaw);
    hashes.add(hash);
    if (isReplay) continue;
    newest = hash;
    addLeaf(trees, hash);
  }
  return { ok: true };
}

/** The hash of a receipt without its own hash and its signatures; undefined when it has no canonical text. */
function hashOf(receipt: Receipt): string | undefined {
  const { signatures: _signatures, ...rest } = receipt;
  const { receipt_hash: _hash, ...chain } = receipt.chain;
  try {
    return `sha256:${sha256(Buffer.from(canonicalText({ ...rest, chain }))).toString('hex')}`;
  } catch {
    return undefined;
  }
}

function signatureFlaw(
  { signatures = [], issuer, issued_at, chain, subject }: Receipt,
  keys: SigningKeys,
): string | undefined {
  if (signatures.length === 0) return 'none';
  const named = issuer.public_key_id;
  if (named !== undefined && !signatures.some(({ key_id }) => key_id === named)) return `none by ${named}`;
  const bad = signatures.find(({ key_id, algorithm, signature, signed_at }) => {
    const [, base64 = ''] = /^base64:(.*)$/s.exec(signature) ?? [];
    const times = signed_at === undefined ? [issued_at] : [issued_at, signed_at];
    // A replay repeats a recorded time; its key may be younger.
    const orLater = subject.object === 'replay_segment';
    const claim = { keyId: key_id, text: chain.receipt_hash, signature: base64, times, orLater };
    return algorithm !== 'ed25519' || !isSigned(keys, claim);
  });
  return bad && `one by ${bad.key_id} that does not hold`;
}

/** Two subtrees of one size become one. Spec: RFC 6962, section 2.1. */
function addLeaf(trees: Subtree[], receiptHash: string): void {
  const content = Buffer.from(receiptHash.slice('sha256:'.length), 'hex');
  let tree: Subtree = { leaves: 1, hash: sha256(Buffer.from([0]), content) };
  for (let left = trees.at(-1); left?.leaves === tree.leaves; left = trees.at(-1)) {
    tree = { leaves: 2 * tree.leaves, hash: sha256(Buffer.from([1]), left.hash, tree.hash) };
    trees.pop();
  }
  trees.push(tree);
}

function rootOf(trees: readonly Subtree[]): string {
  const root = trees
    .map(({ hash }) => hash)
    .reduceRight((right, left) => sha256(Buffer.from([1]), left, right));
  return `sha256:${root.toString('hex')}`;
}

function sha256(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** A public key and the time in which its signatures count, epoch milliseconds, both ends included. */
interface SigningKey {
  key: KeyObject;
  fromMs: number;
  throughMs: number;
  revokedMs: number;
}

type SigningKeys = ReadonlyMap<string, SigningKey>;

const P = 2n ** 255n - 19n;
/** y coordinate of a point of order 8; the other one is its negative. */
const ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
/** The points whose multiples by 8 are zero. A signature by such a key fits every message. */
const SMALL_ORDER_Y: readonly bigint[] = [0n, 1n, P - 1n, ORDER_8, P - ORDER_8];

/** The Ed25519 keys of a JWKS document by `kid`, from `keys` and `revoked_keys`. Throws Error naming the key. */
function signingKeys(jwks: unknown): SigningKeys {
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
function isSigned(
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

/**
 * The RFC 8785 text of a JSON value: members sorted by UTF-16 code units at every depth, no spaces, numbers and strings as
 * ECMAScript spells them. Throws TypeError for what JSON cannot hold and for half surrogate pairs.
 */
function canonicalText(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('JSON has no such number');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError('JSON has no such value');
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${quoted(name)}:${canonicalText(member)}`).join(',')}}`;
}

/** With the flag, a pair is one character, so only halves are surrogates. */
const HALF_PAIR = /\p{Surrogate}/u;

function quoted(text: string): string {
  if (HALF_PAIR.test(text)) throw new TypeError('half a surrogate pair has no UTF-8 form');
  return JSON.stringify(text);
}
