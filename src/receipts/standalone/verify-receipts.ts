import { createHash } from 'node:crypto';
import { canonicalText } from './canonical-text.ts';
import { asReceipt, type Receipt } from './receipt-shape.ts';
import { isSigned, type SigningKeys, signingKeys } from './signing-keys.ts';

export type Verdict =
  | { ok: true }
  | { ok: false; step: string; index: number; expected: string; observed: string };

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
