import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  appendLeaf,
  consistencyProof,
  EMPTY_ROOT,
  frontierOf,
  growTree,
  inclusionProof,
  leafHash,
  type NodeReader,
  nodeHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from '#receipts/merkle.ts';

const sha256 = (...parts: readonly (string | Buffer)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(typeof part === 'string' ? Buffer.from(part, 'hex') : part);
  return hash.digest('hex');
};

/** The leaves and roots that implementations of RFC 6962 publish for each other, copied by hand. */
const PUBLISHED_LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const PUBLISHED_ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const published = PUBLISHED_LEAVES.map((data) => sha256('00', data));

/** The definitions of RFC 6962, section 2.1, word by word, over all leaf hashes at once. */
const split = (n: number) => {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
};
function naiveRoot(leaves: readonly string[]): string {
  if (leaves.length === 0) return sha256('');
  if (leaves.length === 1) return leaves[0] ?? '';
  const k = split(leaves.length);
  return sha256('01', naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}
function naivePath(m: number, leaves: readonly string[]): string[] {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m < k ? [...naivePath(m, left), naiveRoot(right)] : [...naivePath(m - k, right), naiveRoot(left)];
}
function naiveSubproof(m: number, leaves: readonly string[], isWhole: boolean): string[] {
  if (m === leaves.length) return isWhole ? [] : [naiveRoot(leaves)];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  if (m <= k) return [...naiveSubproof(m, left, isWhole), naiveRoot(right)];
  return [...naiveSubproof(m - k, right, false), naiveRoot(left)];
}

/** A tree grown leaf by leaf, with a reader that counts and knows no node before it is full. */
function grow(leaves: readonly string[]) {
  const nodes = new Map<string, string>();
  let frontier: string[] = [];
  for (const [size, leaf] of leaves.entries()) {
    const grown = growTree(frontier, size, leaf);
    frontier = grown.frontier;
    for (const { level, index, hash } of grown.completed) nodes.set(`${level}/${index}`, hash);
  }
  const tree = { frontier, reads: 0 };
  const read: NodeReader = (level, index) => {
    tree.reads += 1;
    const hash = nodes.get(`${level}/${index}`);
    if (hash === undefined) throw new Error(`node ${level}/${index} is not full`);
    return hash;
  };
  return Object.assign(tree, { read });
}

const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, n) => leafHash(sha256(Buffer.from(`receipt ${n}`))));
const flipped = (hash: string, bit: number) => {
  const bytes = Buffer.from(hash, 'hex');
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return bytes.toString('hex');
};

describe('the Merkle tree', () => {
  it('has the roots that other implementations of RFC 6962 publish', () => {
    for (let size = 1; size <= published.length; size += 1)
      expect(rootOf(grow(published.slice(0, size)).frontier), String(size)).toBe(PUBLISHED_ROOTS[size - 1]);
    expect(rootOf([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(EMPTY_ROOT).toBe(rootOf([]));
  });

  it('has the paths and proofs that other implementations publish', () => {
    const { read } = grow(published);
    expect(inclusionProof(5, 8, read)).toEqual([
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    expect(inclusionProof(1, 5, read)).toEqual([
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ]);
    expect(consistencyProof(6, 8, read)).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
  });

  it('hashes the 32 bytes of a receipt hash as a leaf, and never a leaf as a node', () => {
    const data = '00'.repeat(32);
    expect(leafHash(data)).toBe('7f9c9e31ac8256ca2f258583df262dbc7d6f68f2a03043d5c99a4ae5a7396ce9');
    expect(appendLeaf([], 0, data)).toEqual([leafHash(data)]);
    expect(nodeHash(data, data)).toBe(sha256('01', data, data));
  });

  it('agrees with the definition for every size and every leaf up to 33', () => {
    const leaves = leavesOf(33);
    const { read } = grow(leaves);
    for (let size = 1; size <= leaves.length; size += 1) {
      const root = naiveRoot(leaves.slice(0, size));
      expect(rootOf(frontierOf(size, read))).toBe(root);
      for (let m = 0; m < size; m += 1) {
        const proof = inclusionProof(m, size, read);
        expect(proof, `${m} of ${size}`).toEqual(naivePath(m, leaves.slice(0, size)));
        expect(verifyInclusion({ index: m, size, leaf: leaves[m] ?? '', proof, root })).toBe(true);
        const older = consistencyProof(m + 1, size, read);
        expect(older, `${m + 1} to ${size}`).toEqual(naiveSubproof(m + 1, leaves.slice(0, size), true));
        const earlier = { size: m + 1, root: naiveRoot(leaves.slice(0, m + 1)) };
        expect(verifyConsistency({ earlier, later: { size, root }, proof: older })).toBe(true);
      }
    }
  });

  it('refuses every proof with one bit, one hash or one number changed', () => {
    const tree = fc.integer({ min: 2, max: 300 });
    const claim = fc.record({ size: tree, at: fc.nat(), bit: fc.nat({ max: 255 }), where: fc.nat() });
    fc.assert(
      fc.property(claim, ({ size, at, bit, where }) => {
        const leaves = leavesOf(size);
        const { read, frontier } = grow(leaves);
        const [root, index] = [rootOf(frontier), at % size];
        const proof = inclusionProof(index, size, read);
        const good = { index, size, leaf: leaves[index] ?? '', proof, root };
        const spoiled = proof.with(where % proof.length, flipped(proof[where % proof.length] ?? '', bit));
        const bad = [
          { ...good, leaf: flipped(good.leaf, bit) },
          { ...good, root: flipped(root, bit) },
          { ...good, index: (index + 1) % size },
          { ...good, index: size },
          { ...good, proof: spoiled },
          { ...good, proof: proof.slice(1) },
          { ...good, proof: [...proof, root] },
        ];
        expect(verifyInclusion(good)).toBe(true);
        for (const [n, one] of bad.entries()) expect(verifyInclusion(one), String(n)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('refuses a later tree that changed, dropped or moved a leaf of the earlier one', () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 100 }), fc.nat());
    fc.assert(
      fc.property(sizes, ([old, more, where]) => {
        const honest = leavesOf(old + more);
        const earlier = { size: old, root: naiveRoot(honest.slice(0, old)) };
        const changed = honest.with(where % old, leafHash('ab'.repeat(32)));
        const dropped = honest.toSpliced(where % old, 1);
        for (const leaves of [changed, dropped]) {
          if (leaves.length < old) continue;
          const later = { size: leaves.length, root: naiveRoot(leaves) };
          const proof = consistencyProof(old, leaves.length, grow(leaves).read);
          expect(verifyConsistency({ earlier, later, proof })).toBe(false);
        }
        const later = { size: honest.length, root: naiveRoot(honest) };
        const proof = consistencyProof(old, honest.length, grow(honest).read);
        expect(verifyConsistency({ earlier, later, proof })).toBe(true);
        expect(verifyConsistency({ earlier, later, proof: [...proof, later.root] })).toBe(false);
        expect(verifyConsistency({ earlier, later, proof: proof.slice(0, -1) })).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it('proves consistency with the empty tree by nothing, and with a larger one never', () => {
    const later = { size: 3, root: naiveRoot(leavesOf(3)) };
    const nothing = { size: 0, root: EMPTY_ROOT };
    expect(verifyConsistency({ earlier: nothing, later, proof: [] })).toBe(true);
    expect(verifyConsistency({ earlier: { size: 0, root: later.root }, later, proof: [] })).toBe(false);
    expect(verifyConsistency({ earlier: later, later: nothing, proof: [] })).toBe(false);
    expect(verifyConsistency({ earlier: later, later, proof: [] })).toBe(true);
    expect(verifyConsistency({ earlier: later, later, proof: [later.root] })).toBe(false);
  });

  it('reads a number of nodes that grows with the logarithm of the size', () => {
    const size = 5000;
    const tree = grow(leavesOf(size));
    for (const index of [0, 1, 2047, 2048, 4095, 4096, 4998, 4999]) {
      tree.reads = 0;
      inclusionProof(index, size, tree.read);
      expect(tree.reads).toBeLessThanOrEqual(26);
      tree.reads = 0;
      consistencyProof(index + 1, size, tree.read);
      expect(tree.reads).toBeLessThanOrEqual(26);
    }
  });

  it('refuses leaves outside of the tree, sizes that are none, and hashes in another spelling', () => {
    const { read, frontier } = grow(leavesOf(3));
    for (const index of [-1, 3, 0.5, Number.NaN])
      expect(() => inclusionProof(index, 3, read)).toThrow(RangeError);
    for (const old of [0, -1, 4, 1.5]) expect(() => consistencyProof(old, 3, read)).toThrow(RangeError);
    expect(() => appendLeaf(frontier, 4, 'ab'.repeat(32))).toThrow('4 leaves');
    for (const text of ['', 'AB'.repeat(32), `sha256:${'ab'.repeat(32)}`, 'ab'.repeat(31)])
      expect(() => appendLeaf(frontier, 3, text), text).toThrow('64 lower-case hex');
    const claim = { index: 0, size: 1, leaf: 'x', proof: [], root: 'x' };
    expect(verifyInclusion(claim)).toBe(false);
  });
});
