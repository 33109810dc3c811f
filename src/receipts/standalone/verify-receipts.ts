import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { asReceipt, type Receipt } from './receipt-shape.ts';

export type Step = 'schema' | 'canonicalize' | 'compare' | 'previous_hash' | 'merkle' | 'signatures';

interface Fault {
  step: Step;
  expected: string;
  observed: string;
}

type Verdict = { ok: true } | ({ ok: false; index: number } & Fault);

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
  const chain = new ReceiptChain({ keys: signingKeys(jwks), hasLinks: true });
  for (const [index, given] of receipts.entries()) {
    const fault = chain.take(given);
    if (fault !== undefined) return { ok: false, index, ...fault };
  }
  return { ok: true };
}

/** Verifies receipts one after the other. */
export class ReceiptChain {
  readonly #keys: SigningKeys | undefined;
  readonly #hasLinks: boolean;
  readonly #hashes = new Set<string>();
  readonly #trees: Subtree[] = [];
  #newest: string | null = null;

  /**
   * Without keys, signatures are not checked. `hasLinks`: the receipts are a chain from its first one on; else their links are
   * not checked.
   */
  constructor({ keys, hasLinks }: { keys: SigningKeys | undefined; hasLinks: boolean }) {
    this.#keys = keys;
    this.#hasLinks = hasLinks;
  }

  /** What is wrong with the next receipt; after a fault there is no going on. */
  take(given: unknown): Fault | undefined {
    const receipt = asReceipt(given);
    if (receipt === undefined)
      return fault('schema', 'a receipt of the schema receipt-2026-04-25', 'something else');
    const { receipt_hash: hash } = receipt.chain;
    const made = hashOf(receipt);
    if (made === undefined) return fault('canonicalize', 'a value that RFC 8785 can spell', 'another');
    if (made !== hash) return fault('compare', made, hash);
    const flaw =
      (this.#hasLinks ? this.#linkFault(receipt) : undefined) ??
      (this.#keys && signatureFault(receipt, this.#keys));
    if (flaw !== undefined) return flaw;
    this.#hashes.add(hash);
    if (isReplay(receipt)) return undefined;
    this.#newest = hash;
    addLeaf(this.#trees, hash);
    return undefined;
  }

  /** A replay follows the receipt of its source and is no link of the chain. */
  #linkFault(receipt: Receipt): Fault | undefined {
    const { previous_receipt_hash: previous, merkle_root: root = 'none' } = receipt.chain;
    if (isReplay(receipt)) {
      if (previous !== null && !this.#hashes.has(previous))
        return fault('previous_hash', 'the hash of its source', previous);
    } else if (previous !== this.#newest) {
      return fault('previous_hash', String(this.#newest), String(previous));
    }
    const expected = isReplay(receipt) || this.#trees.length === 0 ? 'none' : rootOf(this.#trees);
    return root === expected ? undefined : fault('merkle', expected, root);
  }
}

function fault(step: Step, expected: string, observed: string): Fault {
  return { step, expected, observed };
}

const isReplay = ({ subject }: Receipt): boolean => subject.object === 'replay_segment';

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

/** Every signature has to hold, and there has to be one: by the key that the receipt names, if it names one. */
function signatureFault(receipt: Receipt, keys: SigningKeys): Fault | undefined {
  const { signatures = [], issuer, issued_at, chain } = receipt;
  const { public_key_id: named = 'a known key' } = issuer;
  if (signatures.length === 0) return fault('signatures', `a signature by ${named}`, 'none');
  const signers = signatures.map(({ key_id }) => key_id);
  if (issuer.public_key_id !== undefined && !signers.includes(issuer.public_key_id))
    return fault('signatures', `a signature by ${named}`, `by ${signers.join(', ')}`);
  for (const { key_id, algorithm, signature, signed_at } of signatures) {
    const [, base64 = ''] = /^base64:(.*)$/s.exec(signature) ?? [];
    const times = signed_at === undefined ? [issued_at] : [issued_at, signed_at];
    // A replay repeats a recorded time; its key may be younger.
    const claim = {
      keyId: key_id,
      text: chain.receipt_hash,
      signature: base64,
      times,
      orLater: isReplay(receipt),
    };
    const flaw = algorithm === 'ed25519' ? signatureFlaw(keys, claim) : 'unknown_algorithm';
    if (flaw !== undefined) return fault('signatures', `a signature by ${key_id}`, flaw);
  }
  return undefined;
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

/** A public key and the time in which its signatures count, epoch milliseconds, both ends included; undefined: for ever. */
interface SigningKey {
  readonly key: KeyObject;
  readonly notBeforeMs: number;
  readonly notAfterMs: number | undefined;
  /** What it signed from this moment on counts as forged. */
  readonly revokedAtMs: number | undefined;
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
      notBeforeMs: timeOf(row['not_before'], Number.NEGATIVE_INFINITY),
      notAfterMs: timeOf(row['not_after'], Number.POSITIVE_INFINITY),
      revokedAtMs: timeOf(row['revoked_at'], Number.POSITIVE_INFINITY),
    });
  }
  return keys;
}

/** What is wrong with a signature (standard base64) that was made at all of these times, or later where that is said. */
function signatureFlaw(
  keys: SigningKeys,
  claim: { keyId: string; text: string; signature: string; times: readonly string[]; orLater: boolean },
): 'unknown_key' | 'invalid_signature' | 'outside_window' | undefined {
  const found = keys.get(claim.keyId);
  if (found === undefined) return 'unknown_key';
  const bytes = Buffer.from(claim.signature, 'base64');
  if (bytes.toString('base64') !== claim.signature || bytes.length !== 64) return 'invalid_signature';
  const {
    key,
    notBeforeMs,
    notAfterMs = Number.POSITIVE_INFINITY,
    revokedAtMs = Number.POSITIVE_INFINITY,
  } = found;
  if (!verify(null, Buffer.from(claim.text), key, bytes)) return 'invalid_signature';
  const isTimely = claim.times
    .map(Date.parse)
    .every((ms) => (claim.orLater || ms >= notBeforeMs) && ms <= notAfterMs && ms < revokedAtMs);
  return isTimely ? undefined : 'outside_window';
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
