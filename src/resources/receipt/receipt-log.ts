import type { EventLog, Transaction } from '#eventlog/event-log.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { KeyRegistry } from '#receipts/key-registry.ts';
import {
  decodeLeaf,
  frontierOf,
  growTree,
  type HexHash,
  isStoredLevel,
  leafHash,
  type NodeReader,
  nodeHash,
  type TreeNode,
} from '#receipts/merkle.ts';
import { hasReceiptHash } from '#receipts/stored-receipt-hash.ts';
import { signTreeHead } from '#receipts/tree-head.ts';
import { leafKey, receiptKey, TREE_HEAD_KEY, treeNodeKey } from '#store/keys.ts';
import type { TreeHead } from './schema.ts';
import { type ReceiptLogState, receiptKeys } from './state.ts';

/** Leaves of one transaction; bounds how long it holds up others. */
const LEAVES_AT_ONCE = 1_000;

export interface ReceiptLogDeps {
  log: EventLog;
  keys: Pick<KeyRegistry, 'current'>;
}

/**
 * The signed heads of the receipt log, and the nodes its proofs are made of. Leaves are written when receipts are issued;
 * everything above them is made here, behind them, from the leaves and receipts as the store holds them: a wrong signed root
 * can never be taken back. Heads only grow.
 */
export class ReceiptLog {
  readonly #deps: ReceiptLogDeps;
  #growing: Promise<TreeHead> | undefined;

  constructor(deps: ReceiptLogDeps) {
    this.#deps = deps;
  }

  /** The head over all receipts that are durable now; signs one if there is none yet. Calls meanwhile share it. */
  head(): Promise<TreeHead> {
    this.#growing ??= this.#grow().finally(() => {
      this.#growing = undefined;
    });
    return this.#growing;
  }

  /** Signs a head when receipts came since the last one; before the first receipt there is nothing to sign. */
  async keepUp(): Promise<void> {
    if ((this.#deps.log.state<ReceiptLogState>(receiptKeys.receiptLog)?.size ?? 0) > 0) await this.head();
  }

  /** Hashes of the tree at any size up to the newest head's. */
  readonly read: NodeReader = (level, index) => {
    const { log } = this.#deps;
    if (level === 0) return leafHash(leafAt(log, index).receiptHash.slice('sha256:'.length));
    if (!isStoredLevel(level))
      return nodeHash(this.read(level - 1, 2 * index), this.read(level - 1, 2 * index + 1));
    const stored = log.record(treeNodeKey(level, index));
    if (stored === undefined) throw new Error(`The receipt log has no node ${index} of level ${level}.`);
    return stored.toString('hex');
  };

  async #grow(): Promise<TreeHead> {
    const { log } = this.#deps;
    for (;;) {
      const known = newestHead(log.record(TREE_HEAD_KEY));
      const size = log.state<ReceiptLogState>(receiptKeys.receiptLog)?.size ?? 0;
      if (known !== undefined && (known.size >= size || log.status !== 'open')) return known;
      const grown = this.#extend(known?.size ?? 0, Math.min(size, (known?.size ?? 0) + LEAVES_AT_ONCE));
      await log.transact({ actor: null }, (tx) => this.#record(tx, known?.size ?? 0, grown));
    }
  }

  /** Reads the leaves and their receipts again; throws rather than sign what does not fit together. */
  #extend(from: number, to: number): Grown {
    const { log } = this.#deps;
    let frontier: HexHash[] = frontierOf(from, this.read);
    const nodes: TreeNode[] = [];
    for (let index = from; index < to; index += 1) {
      const { receiptHash, receiptId } = leafAt(log, index);
      const receipt = log.record(receiptKey(receiptId));
      if (receipt === undefined || !hasReceiptHash(receipt, receiptHash))
        throw damaged(`Leaf ${index} is not the hash of ${receiptId}.`);
      const grown = growTree(frontier, index, leafHash(receiptHash.slice('sha256:'.length)));
      frontier = grown.frontier;
      nodes.push(...grown.completed.filter(({ level }) => isStoredLevel(level)));
    }
    return { size: to, frontier, nodes };
  }

  #record(tx: Transaction, from: number, { size, frontier, nodes }: Grown): void {
    const { log, keys } = this.#deps;
    if ((newestHead(tx.recorded(TREE_HEAD_KEY))?.size ?? 0) !== from)
      throw new Error('A head of the receipt log was signed by somebody else.');
    for (const { level, index, hash } of nodes)
      tx.record(treeNodeKey(level, index), Buffer.from(hash, 'hex'));
    const head = signTreeHead({ logId: log.logId, size, frontier, time: tx.time }, keys.current());
    tx.record(TREE_HEAD_KEY, JSON.stringify(head));
  }
}

interface Grown {
  size: number;
  frontier: HexHash[];
  nodes: TreeNode[];
}

function newestHead(record: Buffer | undefined): TreeHead | undefined {
  return record && JSON.parse(record.toString('utf8'));
}

function leafAt(log: EventLog, index: number): { receiptHash: string; receiptId: string } {
  const record = log.record(leafKey(index));
  if (record === undefined) throw damaged(`The receipt log has no leaf ${index}.`);
  return decodeLeaf(record);
}

function damaged(why: string): ProtocolError {
  const message =
    'The receipt log does not fit its receipts; no head is signed. Run "harn-gateway log check".';
  return new ProtocolError('resource_locked', message, {
    details: { reason: 'integrity' },
    cause: new Error(why),
  });
}
