import type { Finding } from '#eventlog/finding.ts';
import {
  decodeLeaf,
  growTree,
  type HexHash,
  isStoredLevel,
  leafHash,
  type TreeNode,
} from '#receipts/merkle.ts';
import { KEY_KINDS, keysUnder, TREE_HEAD_KEY, treeNodeKey } from '#store/keys.ts';
import { unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import type { TreeHead } from './schema.ts';

/**
 * Makes the stored nodes of the receipt log again from its leaves, up to its newest head: proofs are made of them, so a wrong
 * one would make true receipts unprovable. A leaf that cannot be read ends it; the log check has named that one.
 */
export async function* checkTreeNodes(store: Store): AsyncGenerator<Finding, void> {
  const head = store.get(TREE_HEAD_KEY);
  const content = read(TREE_HEAD_KEY, head);
  if (head !== undefined && content === undefined) return;
  const size = content === undefined ? 0 : (JSON.parse(content.toString('utf8')) as TreeHead).size;
  for await (const node of nodesOfLeaves(store, size)) {
    const where = treeNodeKey(node.level, node.index);
    const observed = read(where, store.get(where))?.toString('hex');
    if (observed === undefined) yield { problem: 'missing', where, expected: node.hash, observed: 'no node' };
    else if (observed !== node.hash) yield { problem: 'hash', where, expected: node.hash, observed };
  }
  for await (const page of store.keys(keysUnder(KEY_KINDS.treeNode.prefix)))
    for (const where of page)
      if (!isOver(where, size))
        yield { problem: 'extra', where, expected: `nodes over ${size} leaves`, observed: 'another' };
}

/** The nodes that the log stores, in the order in which they became full. */
async function* nodesOfLeaves(store: Store, size: number): AsyncGenerator<TreeNode, void> {
  let frontier: HexHash[] = [];
  let count = 0;
  for await (const page of store.entries(keysUnder(KEY_KINDS.leaf.prefix)))
    for (const [key, sealed] of page) {
      const leaf = count < size ? read(key, sealed) : undefined;
      if (leaf === undefined) return;
      const { receiptHash } = decodeLeaf(leaf);
      const grown = growTree(frontier, count, leafHash(receiptHash.slice('sha256:'.length)));
      yield* grown.completed.filter(({ level }) => isStoredLevel(level));
      frontier = grown.frontier;
      count += 1;
    }
}

function isOver(nodeKey: string, size: number): boolean {
  const [level = 0, index = 0] = nodeKey.split('/').slice(1).map(Number);
  return isStoredLevel(level) && (index + 1) * 2 ** level <= size;
}

function read(key: string, sealed: Buffer | undefined): Buffer | undefined {
  try {
    return sealed && unseal(sealed, key);
  } catch (error) {
    if (error instanceof IntegrityError) return undefined;
    throw error;
  }
}
