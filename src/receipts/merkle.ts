import { hash } from 'node:crypto';

/** A hash as 64 lower-case hex digits. */
export type HexHash = string;

/**
 * The root of the perfect subtree over the leaves `index * 2^level` to `(index + 1) * 2^level - 1`; level 0 is the hash of
 * a leaf. Asked only about subtrees that are full at the size in question.
 */
export type NodeReader = (level: number, index: number) => HexHash;

export interface TreeNode {
  level: number;
  index: number;
  hash: HexHash;
}

const HASH_BYTES = 32;
const HEX_HASH = /^[0-9a-f]{64}$/;
/**
 * The prefixes that distinguish a leaf from a node, so that no proof can present one as the other. Spec: RFC 6962, section 2.1.
 */
const LEAF = Buffer.alloc(1 + HASH_BYTES, 0x00);
const NODE = Buffer.alloc(1 + 2 * HASH_BYTES, 0x01);

/** The root of a tree without leaves: SHA-256 of nothing. */
export const EMPTY_ROOT: HexHash = hash('sha256', '', 'hex');

/** The hash of the leaf that holds these 32 bytes: the raw bytes of a receipt hash. */
export function leafHash(data: HexHash): HexHash {
  LEAF.write(checked(data), 1, 'hex');
  return hash('sha256', LEAF, 'hex');
}

export function nodeHash(left: HexHash, right: HexHash): HexHash {
  NODE.write(checked(left), 1, 'hex');
  NODE.write(checked(right), 1 + HASH_BYTES, 'hex');
  return hash('sha256', NODE, 'hex');
}

/**
 * The frontier after one more leaf: the roots of the perfect subtrees of the tree, largest first. `data` is the content of
 * the leaf, a receipt hash without its prefix. Throws RangeError when the frontier is not that of a tree of `size` leaves.
 */
export function appendLeaf(frontier: readonly HexHash[], size: number, data: HexHash): HexHash[] {
  return growTree(frontier, size, leafHash(data)).frontier;
}

/** The same for a leaf hash, with the nodes that are full now: the leaf itself, then one node per level it completes. */
export function growTree(
  frontier: readonly HexHash[],
  size: number,
  leaf: HexHash,
): { frontier: HexHash[]; completed: TreeNode[] } {
  if (!isSize(size) || frontier.length !== onesOf(size))
    throw new RangeError(`A tree of ${size} leaves has another number of perfect subtrees than this one`);
  const roots = [...frontier];
  let node: TreeNode = { level: 0, index: size, hash: leaf };
  const completed = [node];
  while (isOdd(node.index)) {
    const left = roots.pop() ?? '';
    node = { level: node.level + 1, index: half(node.index), hash: nodeHash(left, node.hash) };
    completed.push(node);
  }
  return { frontier: [...roots, node.hash], completed };
}

/** The Merkle tree hash of a frontier. Spec: RFC 6962, section 2.1. */
export function rootOf(frontier: readonly HexHash[]): HexHash {
  if (frontier.length === 0) return EMPTY_ROOT;
  return frontier.reduceRight((right, left) => nodeHash(left, right));
}

/** The roots of the perfect subtrees of the first `size` leaves, largest first. */
export function frontierOf(size: number, read: NodeReader): HexHash[] {
  return perfectRanges(0, size).map(([level, index]) => read(level, index));
}

/**
 * The proof that leaf `index` is in the tree of the first `size` leaves, in at most 2 log2(size) reads. Spec: RFC 6962,
 * section 2.1.1. Throws RangeError for a leaf outside of the tree.
 */
export function inclusionProof(index: number, size: number, read: NodeReader): HexHash[] {
  if (!isSize(size) || !isSize(index) || index >= size)
    throw new RangeError(`A tree of ${size} leaves has no leaf ${index}`);
  const path: HexHash[] = [];
  let [from, count, leaf] = [0, size, index];
  while (count > 1) {
    const left = largestPowerBelow(count);
    if (leaf < left) {
      path.push(rangeRoot(from + left, count - left, read));
      count = left;
    } else {
      path.push(rangeRoot(from, left, read));
      [from, count, leaf] = [from + left, count - left, leaf - left];
    }
  }
  return path.reverse();
}

/**
 * The proof that the tree of the first `size` leaves begins with the one of the first `earlier`; empty for equal sizes.
 * Spec: RFC 6962, section 2.1.2. Throws RangeError unless 0 < earlier <= size: every tree begins with the empty one.
 */
export function consistencyProof(earlier: number, size: number, read: NodeReader): HexHash[] {
  if (!isSize(size) || !isSize(earlier) || earlier === 0 || earlier > size)
    throw new RangeError(`A tree of ${size} leaves does not begin with one of ${earlier}`);
  const path: HexHash[] = [];
  let [from, count, old] = [0, size, earlier];
  while (old < count) {
    const left = largestPowerBelow(count);
    if (old <= left) {
      path.push(rangeRoot(from + left, count - left, read));
      count = left;
    } else {
      path.push(rangeRoot(from, left, read));
      [from, count, old] = [from + left, count - left, old - left];
    }
  }
  // The verifier knows the old root, so a subtree that is the old tree itself is left out.
  if (from > 0 || count !== earlier) path.push(rangeRoot(from, count, read));
  return path.reverse();
}

/** Whether the proof leads from the leaf hash to the root. Never throws. Spec: RFC 9162, section 2.1.3.2. */
export function verifyInclusion(claim: {
  index: number;
  size: number;
  leaf: HexHash;
  proof: readonly HexHash[];
  root: HexHash;
}): boolean {
  const { index, size, leaf, proof, root } = claim;
  if (!isSize(index) || !isSize(size) || index >= size || !areHashes([leaf, root, ...proof])) return false;
  let [node, last, at] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      at = nodeHash(sibling, at);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      at = nodeHash(at, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && at === root;
}

/** Whether the proof leads to both roots. Never throws. Spec: RFC 9162, section 2.1.4.2. */
export function verifyConsistency(claim: {
  earlier: { size: number; root: HexHash };
  later: { size: number; root: HexHash };
  proof: readonly HexHash[];
}): boolean {
  const { earlier, later, proof } = claim;
  if (!isSize(earlier.size) || !isSize(later.size) || earlier.size > later.size) return false;
  if (!areHashes([earlier.root, later.root, ...proof])) return false;
  if (earlier.size === later.size) return proof.length === 0 && earlier.root === later.root;
  if (earlier.size === 0) return proof.length === 0 && earlier.root === EMPTY_ROOT;
  const hashes = isPowerOfTwo(earlier.size) ? [earlier.root, ...proof] : [...proof];
  return leadsToBoth(earlier, later, hashes);
}

function leadsToBoth(
  earlier: { size: number; root: HexHash },
  later: { size: number; root: HexHash },
  [first, ...rest]: readonly HexHash[],
): boolean {
  if (first === undefined) return false;
  let [node, last] = [earlier.size - 1, later.size - 1];
  while (isOdd(node)) [node, last] = [half(node), half(last)];
  let [oldRoot, newRoot] = [first, first];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      [oldRoot, newRoot] = [nodeHash(sibling, oldRoot), nodeHash(sibling, newRoot)];
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      newRoot = nodeHash(newRoot, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && oldRoot === earlier.root && newRoot === later.root;
}

/** The Merkle tree hash of `count` leaves that begin where a perfect subtree of at least that size begins. */
function rangeRoot(from: number, count: number, read: NodeReader): HexHash {
  return rootOf(perfectRanges(from, count).map(([level, index]) => read(level, index)));
}

/** The perfect subtrees over a range, as level and index, largest first. */
function perfectRanges(from: number, count: number): [level: number, index: number][] {
  const ranges: [number, number][] = [];
  let [start, left] = [from, count];
  while (left > 0) {
    const level = Math.floor(Math.log2(left));
    ranges.push([level, start / 2 ** level]);
    [start, left] = [start + 2 ** level, left - 2 ** level];
  }
  return ranges;
}

function checked(text: HexHash): HexHash {
  // A shorter text would leave bytes of the hash before it in the buffer.
  if (!HEX_HASH.test(text)) throw new RangeError('A hash of the tree is 64 lower-case hex digits');
  return text;
}

const areHashes = (texts: readonly string[]): boolean => texts.every((text) => HEX_HASH.test(text));
/** Leaves are counted below 2^48, where the logarithm of a count is exact. */
const isSize = (n: number): boolean => Number.isSafeInteger(n) && n >= 0 && n < 2 ** 48;
const isOdd = (n: number): boolean => n % 2 === 1;
const half = (n: number): number => Math.floor(n / 2);
const isPowerOfTwo = (n: number): boolean => 2 ** Math.floor(Math.log2(n)) === n;
const largestPowerBelow = (n: number): number => 2 ** Math.floor(Math.log2(n - 1));

const onesOf = (n: number): number => n.toString(2).replaceAll('0', '').length;

const PREFIX = 'sha256:';
/** Every fourth level is stored: a fifteenth of a node per leaf, and at most eight reads for a node between. */
const STORED_LEVELS = 4;

/** Whether the receipt log stores the nodes of this level of its tree; it makes the others when it needs them. */
export const isStoredLevel = (level: number): boolean => level > 0 && level % STORED_LEVELS === 0;

/** One receipt in the gateway-wide receipt log. */
export interface LogLeaf {
  /** `sha256:` and 64 hex digits; its raw bytes are the content of the leaf (Spec: RFC 6962). */
  receiptHash: string;
  receiptId: string;
}

/** The record of a leaf: the 32 bytes of the receipt hash, then the id of the receipt. */
export function encodeLeaf({ receiptHash, receiptId }: LogLeaf): Buffer {
  return Buffer.concat([Buffer.from(receiptHash.slice(PREFIX.length), 'hex'), Buffer.from(receiptId)]);
}

export function decodeLeaf(record: Buffer): LogLeaf {
  return {
    receiptHash: PREFIX + record.toString('hex', 0, HASH_BYTES),
    receiptId: record.toString('utf8', HASH_BYTES),
  };
}
