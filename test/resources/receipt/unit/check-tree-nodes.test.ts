import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '#eventlog/finding.ts';
import { sha256Hex } from '#json/canonical.ts';
import { encodeLeaf } from '#receipts/merkle.ts';
import { checkTreeNodes } from '#resources/receipt/check-tree-nodes.ts';
import { leafKey, TREE_HEAD_KEY, treeNodeKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { seal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { merkleRoot } from '../../../harness/receipt-hash.ts';

const SIZE = 300;
const hashes = Array.from({ length: SIZE + 5 }, (_, n) => `sha256:${sha256Hex(String(n))}`);
/** Over 16 leaves at level 4, over 256 at level 8; the newest five leaves came after the head. */
const NODES = [
  ...Array.from({ length: 18 }, (_, index) => ({ level: 4, index, leaves: 16 })),
  { level: 8, index: 0, leaves: 256 },
];

describe('the stored nodes of the receipt log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'harn-nodes-'));
  let store: Store;
  const put = (key: string, content: Buffer | string) =>
    store.write([{ type: 'put', key, value: seal(content, key) }]);
  beforeEach(async () => {
    store = await openLevelStore({ path: join(folder, 'store') });
    for (const [n, receiptHash] of hashes.entries())
      await put(leafKey(n), encodeLeaf({ receiptHash, receiptId: `receipt_${n}` }));
    for (const { level, index, leaves } of NODES)
      await put(treeNodeKey(level, index), merkleRoot(hashes.slice(index * leaves, (index + 1) * leaves)));
    await put(TREE_HEAD_KEY, JSON.stringify({ size: SIZE }));
  }, 60_000);
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const found = async () => {
    const findings: Finding[] = [];
    for await (const finding of checkTreeNodes(store)) findings.push(finding);
    return findings.map(({ problem, where }) => `${problem} ${where}`);
  };

  it('[S3-10] are made again from the leaves, and each that is another, gone or too much is named', async () => {
    expect(await found()).toEqual([]);
    await put(treeNodeKey(4, 3), Buffer.alloc(32, 1));
    await store.write([{ type: 'del', key: treeNodeKey(8, 0) }]);
    await put(treeNodeKey(4, 18), Buffer.alloc(32, 2));
    expect(await found()).toEqual([
      'hash tn/04/0000000000000003',
      'missing tn/08/0000000000000000',
      'extra tn/04/0000000000000018',
    ]);
    const changed = { receiptHash: `sha256:${sha256Hex('other')}`, receiptId: 'receipt_17' };
    await put(leafKey(17), encodeLeaf(changed));
    expect((await found())[0]).toBe('hash tn/04/0000000000000001');
    // What stands over a leaf that cannot be read is not judged.
    await store.write([{ type: 'put', key: leafKey(0), value: Buffer.alloc(60) }]);
    expect(await found()).toEqual(['extra tn/04/0000000000000018']);
  });
});
