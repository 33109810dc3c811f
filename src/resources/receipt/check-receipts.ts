import { isDeepStrictEqual } from 'node:util';
import type { Event } from '#eventlog/event-log.ts';
import type { Finding } from '#eventlog/finding.ts';
import { decodeFold, type FoldRecord, foldCodec } from '#eventlog/fold-record.ts';
import { eventIn, isEventId, readSegment, segmentFrom } from '#eventlog/segment.ts';
import { canonicalJson } from '#json/canonical.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { appendLeaf, decodeLeaf, type HexHash, type LogLeaf, rootOf } from '#receipts/merkle.ts';
import { verifyTreeHead } from '#receipts/tree-head.ts';
import { keysOfJwks, type VerificationKeys } from '#receipts/verification-keys.ts';
import { ChainVerifier } from '#receipts/verify-chain.ts';
import { type ImportState, importMarkOf, localEvent } from '#resources/bundle/fold-imported.ts';
import { bundleKeys } from '#resources/bundle/state.ts';
import { saidSlots } from '#resources/said-slots.ts';
import type { PartTombstone } from '#resources/session/fold.ts';
import { KEY_KINDS, keysUnder, lastSegment, leafKey, receiptKey, TREE_HEAD_KEY } from '#store/keys.ts';
import { unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { type TreeHead, treeHead, type WireReceipt } from './schema.ts';
import { type ReceiptState, receiptKeys } from './state.ts';

/**
 * Verifies every stored receipt from its bytes: that it is the leaf of the receipt log, the Receipt and the `receipt.issued`
 * event that it says to be (an event that retention removed is in the folds), that it stands in the chain of its session
 * under its Merkle root, and that a key of the registry signed it in its window; then the newest signed head of the log. Of a
 * chain the first receipt that fails is reported: what comes after it cannot be judged. Changes nothing.
 */
export async function* checkReceipts(store: Store, keys: VerificationKeys): AsyncGenerator<Finding, void> {
  const pass = new ReceiptPass(store, keys, await removedReceipts(store));
  for await (const page of store.entries(keysUnder(KEY_KINDS.leaf.prefix)))
    for (const [key, sealed] of page) yield* pass.take(key, sealed);
  yield* pass.end();
  for await (const page of store.keys(keysUnder(KEY_KINDS.receipt.prefix)))
    for (const key of page) yield* pass.checkListed(key);
}

/** Places in the receipt log of the receipts that went. */
interface RemovedReceipts {
  places: ReadonlySet<number>;
  /** The Sessions in whose chains some of them are links, by place. */
  links: ReadonlyMap<number, string>;
}

/** Those that tombstones name. A damaged one is named by the check of the log. */
async function removedReceipts(store: Store): Promise<RemovedReceipts> {
  const places = new Set<number>();
  const sessions = new Map<number, string>();
  for await (const page of store.entries(keysUnder(KEY_KINDS.tombstone.prefix)))
    for (const [key, sealed] of page) {
      const { receipts = [], links = [] } = jsonOf<Partial<PartTombstone>>(contentOf(key, sealed)) ?? {};
      for (const place of receipts) places.add(place);
      for (const { log_index, session_id } of links) sessions.set(log_index, session_id);
    }
  return { places, links: sessions };
}

const RECEIPT_HASH_BYTES = 32;
/** Damaged, no JSON, or an id that can be in no key. */
const UNREADABLE = [IntegrityError, SyntaxError, ProtocolError];

/** What the log says of a receipt beside its bytes. */
interface Said {
  state: ReceiptState;
  issued: Event | undefined;
}

class ReceiptPass {
  readonly #store: Store;
  readonly #keys: VerificationKeys;
  readonly #head: TreeHead | undefined;
  /** By session; null once a receipt of it has failed. */
  readonly #chains = new Map<string, ChainVerifier | null>();
  /** Null once a leaf could not be read: there is no root any more. */
  #frontier: HexHash[] | null = [];
  #size = 0;

  readonly #removed: RemovedReceipts;

  constructor(store: Store, keys: VerificationKeys, removed: RemovedReceipts) {
    this.#store = store;
    this.#keys = keys;
    this.#removed = removed;
    this.#head = treeHead.safeParse(jsonOf(this.#read(TREE_HEAD_KEY))).data;
  }

  /** Leaves come in the order in which their receipts were issued, so that every chain is met in its own. */
  *take(key: string, sealed: Buffer): Generator<Finding, void> {
    const place = leafKey(this.#size);
    if (key !== place) yield finding('missing', place, 'a leaf of the receipt log', `the next one is ${key}`);
    const index = Number(lastSegment(key));
    const leaf = leafOf(contentOf(key, sealed));
    if (leaf === undefined) yield finding('receipt', key, 'a leaf of the receipt log', 'another record');
    else if (this.#removed.places.has(index)) this.#passLink(leaf, index);
    else yield* this.#checkReceipt(leaf, index);
    this.#extend(key === place ? leaf : undefined);
    this.#size = index + 1;
    if (this.#head?.size === this.#size) yield* this.#checkRoot(this.#head);
  }

  #extend(leaf: LogLeaf | undefined): void {
    const hash = leaf?.receiptHash.slice('sha256:'.length);
    const before = this.#frontier;
    this.#frontier = hash === undefined || before === null ? null : appendLeaf(before, this.#size, hash);
  }

  *end(): Generator<Finding, void> {
    if (this.#head === undefined && this.#store.get(TREE_HEAD_KEY) !== undefined)
      yield finding('receipt', TREE_HEAD_KEY, 'a signed head', 'another record');
    if (this.#head === undefined) return;
    const verdict = verifyTreeHead(this.#head, this.#keys);
    if (verdict !== 'ok') yield finding('receipt', TREE_HEAD_KEY, 'a signed head', verdict);
    if (this.#head.size > this.#size)
      yield finding('missing', TREE_HEAD_KEY, `${this.#head.size} leaves`, `${this.#size} leaves`);
  }

  /** A receipt that no leaf names, so that nothing above has met it. */
  *checkListed(key: string): Generator<Finding, void> {
    const id = lastSegment(key);
    const index = this.#recordOf(id)?.state?.internal.log_index;
    const leaf = index === undefined ? undefined : leafOf(this.#read(leafKey(index)));
    if (leaf?.receiptId === id) return;
    yield finding('extra', key, 'a receipt that is a leaf of the receipt log', 'a receipt without a leaf');
  }

  *#checkRoot({ root }: TreeHead): Generator<Finding, void> {
    if (this.#frontier === null) return;
    const expected = `sha256:${rootOf(this.#frontier)}`;
    if (root !== expected) yield finding('receipt', TREE_HEAD_KEY, expected, root);
  }

  *#checkReceipt(leaf: LogLeaf, index: number): Generator<Finding, void> {
    const key = receiptKey(leaf.receiptId);
    const bytes = this.#read(key);
    const receipt = jsonOf<WireReceipt>(bytes);
    if (bytes === undefined || typeof receipt?.chain !== 'object' || receipt.chain === null) {
      yield finding('receipt', key, leaf.receiptHash, 'no receipt that can be read');
      return;
    }
    const hash = receipt.chain.receipt_hash;
    if (hash !== leaf.receiptHash) yield finding('receipt', leafKey(index), String(hash), leaf.receiptHash);
    const said = this.#saidOf(leaf.receiptId);
    if (said === undefined) yield finding('receipt', key, 'a Receipt of this id', 'none');
    else yield* saidOtherwise(this.#store, said, receipt, index);
    yield* this.#checkChain(key, bytes, receipt);
  }

  /** The chain of a Session that stays goes on over a link that was erased, by its hash. */
  #passLink({ receiptHash }: LogLeaf, index: number): void {
    const session = this.#removed.links.get(index);
    if (session === undefined) return;
    const known = this.#chains.get(session);
    if (known === null) return;
    const chain = known ?? new ChainVerifier({ keys: this.#keysOf(session), receipts: 'whole' });
    chain.pass(receiptHash);
    this.#chains.set(session, chain);
  }

  *#checkChain(key: string, bytes: Buffer, receipt: WireReceipt): Generator<Finding, void> {
    const session = String(receipt.identifiers?.session_id);
    const known = this.#chains.get(session);
    if (known === null) return;
    const chain = known ?? new ChainVerifier({ keys: this.#keysOf(session), receipts: 'whole' });
    const { ok, step, expected, observed } = chain.take(receipt as never);
    const isCanonical = ok && canonicalJson(receipt as never) === bytes.toString('utf8');
    this.#chains.set(session, ok ? chain : null);
    if (!ok) yield finding('receipt', key, `${step}: ${expected}`, String(observed));
    else if (!isCanonical) yield finding('receipt', key, 'canonicalize: RFC 8785 bytes', 'other bytes');
  }

  /** A Session that was imported brought keys. */
  #keysOf(session: string): VerificationKeys {
    const key = bundleKeys.sessionImport(session);
    const stored = this.#store.get(key);
    const state = stored && readable(() => decodeFold(key, stored).state as ImportState | undefined);
    return state ? new Map([...keysOfJwks(state.signing_keys), ...this.#keys]) : this.#keys;
  }

  #saidOf(receiptId: string): Said | undefined {
    const { state, head } = this.#recordOf(receiptId) ?? {};
    if (state === undefined || head === undefined) return undefined;
    let event = this.#eventOf(head.event_id);
    while (event !== undefined && event.sequence > 1) event = this.#earlier(event);
    return { state, issued: event?.event === 'receipt.issued' ? event : undefined };
  }

  #recordOf(receiptId: string): (FoldRecord & { state?: ReceiptState }) | undefined {
    const key = receiptKeys.receipt(receiptId);
    const stored = this.#store.get(key);
    return (
      stored &&
      readable(
        () => foldCodec(this.#store, saidSlots).decode(key, stored) as FoldRecord & { state?: ReceiptState },
      )
    );
  }

  /** Undefined where the links of a changed event lead anywhere but back. */
  #earlier({ sequence, previous_event_id }: Event): Event | undefined {
    const event = previous_event_id === null ? undefined : this.#eventOf(previous_event_id);
    return event !== undefined && event.sequence < sequence ? event : undefined;
  }

  #eventOf(id: string): Event | undefined {
    const segment = isEventId(id) ? readable(() => readSegment(this.#store, id)) : undefined;
    return segment && jsonOf<Event>(eventIn(segment, id));
  }

  /** Undefined for what is not there, or is not what was written: the check of the log names it. */
  #read(key: string): Buffer | undefined {
    const sealed = this.#store.get(key);
    return sealed && contentOf(key, sealed);
  }
}

/** What the Receipt and its event say, against what the receipt is. */
function* saidOtherwise(
  store: Store,
  { state, issued }: Said,
  receipt: WireReceipt,
  index: number,
): Generator<Finding, void> {
  const { chain, receipt_id } = receipt;
  const where = receiptKeys.receipt(receipt_id);
  const { hash, log_index } = state.internal;
  if (hash !== chain.receipt_hash) yield finding('receipt', where, chain.receipt_hash, hash);
  if (log_index !== index) yield finding('receipt', where, `leaf ${index}`, `leaf ${log_index}`);
  if (issued === undefined) return;
  const mark = importMarkOf(issued);
  const local = mark ? localEvent(issued, mark) : issued;
  const expected = {
    receipt_id,
    receipt_hash: chain.receipt_hash,
    previous_receipt_hash: chain.previous_receipt_hash,
    subject: receipt.subject,
    log_index: index,
  };
  for (const [name, value] of Object.entries(expected)) {
    const recorded = local.payload[name];
    if (isDeepStrictEqual(recorded, value)) continue;
    yield finding(
      'receipt',
      segmentFrom(store, issued.id)?.key ?? issued.id,
      `${name} ${JSON.stringify(value)}`,
      JSON.stringify(recorded) ?? 'none',
    );
  }
}

function finding(problem: Finding['problem'], where: string, expected: string, observed: string): Finding {
  return { problem, where, expected, observed };
}

/** Undefined for bytes that are no leaf, or that name a receipt which no key can have. */
function leafOf(content: Buffer | undefined): LogLeaf | undefined {
  if (content === undefined || content.length <= RECEIPT_HASH_BYTES) return undefined;
  const leaf = decodeLeaf(content);
  return readable(() => receiptKey(leaf.receiptId)) === undefined ? undefined : leaf;
}

function contentOf(key: string, sealed: Buffer): Buffer | undefined {
  return readable(() => unseal(sealed, key));
}

function jsonOf<Value>(bytes: Buffer | undefined): Value | undefined {
  return bytes && readable(() => JSON.parse(bytes.toString('utf8')) as Value);
}

function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (UNREADABLE.some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}
