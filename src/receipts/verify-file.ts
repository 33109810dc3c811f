import type { JsonObject, JsonValue } from '#protocol/json.ts';
import {
  consistency,
  type Inclusion,
  inclusion,
  type TreeHead,
  treeHead,
  wireReceipt,
} from '#resources/receipt/schema.ts';
import { leafHash, verifyConsistency, verifyInclusion } from './merkle.ts';
import { type BroughtProofs, type ReceiptFile, readReceipts, receiptsOf } from './read-receipts.ts';
import { decodeReceiptCbor } from './receipt-cbor.ts';
import { ReceiptChain } from './standalone/verify-receipts.ts';
import { verifyTreeHead } from './tree-head.ts';
import { KeySetError, keysOfJwks, type VerificationKeys } from './verification-keys.ts';
import type { ReceiptVerdict, VerificationStep } from './verify-chain.ts';

const MAX_FILE_BYTES = 512 * 1024 * 1024;

/** `manifest`: the signature over all of a bundle. It is for who reads bundles, so here it is always left out. */
type FileStep = VerificationStep | LogStep | 'manifest';

export interface FileVerdict extends Omit<ReceiptVerdict, 'step' | 'skipped'> {
  step: FileStep | null;
  /** Steps that could not be done for want of what they need. */
  skipped: FileStep[];
  /** Receipts in the file. */
  receipts: number;
  /**
   * Whose keys verified the signatures: `given` ones say who signed; those that a bundle `brought` only that nothing was changed
   * since. Null where none were verified.
   */
  keys: 'given' | 'brought' | null;
  /** The file is a session bundle. */
  bundle: boolean;
}

/** Files that belong together, beside the receipts; each lets more be verified. They come before what the receipts' file brings. */
export interface ProofFiles {
  /** Undefined: signatures are left out. `brought`: those of the bundle that the file is. */
  keys: VerificationKeys | 'brought' | undefined;
  /** The chain the receipts belong to, from its first receipt on: their links are verified too. */
  chain?: Buffer;
  /** A signed head of the receipt log, kept from any time; needs `keys`. */
  head?: Buffer;
  /** A head that was kept before that one, with the consistency proof between the two unless the file brings it. */
  growth?: { earlier: Buffer; proof?: Buffer };
  /** Inclusion proofs for the size of that head, one per receipt: an answer of the gateway, an array or lines of them. */
  inclusion?: Buffer;
  /** Called with how many receipts of a file were looked at so far. */
  onReceipt?: (done: number, total: number) => void;
}

/** The files with the keys that are used. */
interface Proofs extends ProofFiles {
  keys: VerificationKeys | undefined;
}

/**
 * Verifies the receipts of a file without a gateway. What could not be checked is listed in `skipped`. Throws KeySetError where
 * the keys that the file should bring are not there, or are none.
 */
export function verifyFile(file: Buffer, { keys: wanted, ...files }: ProofFiles): FileVerdict {
  const read = readFile(file);
  const keys = wanted === 'brought' ? broughtBy(read) : wanted;
  const given: Proofs = { ...files, keys };
  const chained = chainVerdict(read, given);
  const whose = wanted === 'brought' ? wanted : 'given';
  const bundle = read.isBundle === true;
  const verdict: FileVerdict = {
    ...chained,
    skipped: bundle ? [...chained.skipped, 'manifest'] : chained.skipped,
    receipts: read.items.length,
    keys: keys === undefined ? null : whose,
    bundle,
  };
  return verdict.ok ? withLog(verdict, read.items.map(hashOf), given, logProofs(read, given)) : verdict;
}

/** A given head is not used with the proofs of the file, which are for another size. */
function logProofs({ proofs }: ReceiptFile, { head, inclusion, growth }: Proofs): BroughtProofs {
  const brought = head === undefined ? proofs : {};
  const own = {
    head: head && readFile(head).items[0],
    inclusion: inclusion && readFile(inclusion).items,
    consistency: growth?.proof && readFile(growth.proof).items[0],
  };
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...brought, ...Object.fromEntries(given) };
}

function broughtBy({ keys }: ReceiptFile): VerificationKeys {
  if (keys === undefined) throw new KeySetError('the file brings no keys');
  return keysOfJwks(keys);
}

function chainVerdict(read: ReceiptFile, given: Proofs): ReceiptVerdict {
  const own = verdictOf(read, given);
  if (!own.ok || given.chain === undefined) return own;
  const chain = readFile(given.chain);
  const whole = verdictOf({ ...chain, receipts: 'whole' }, given);
  return whole.ok ? membership(read, chain, whole) : whole;
}

/**
 * Then verifies the receipt log. Without it nobody notices that the newest receipts were left out, or that one was forged later.
 */
function withLog(
  verdict: FileVerdict,
  hashes: readonly string[],
  { keys, growth }: Proofs,
  proofs: BroughtProofs,
): FileVerdict {
  const isHeadLeft = proofs.head === undefined || keys === undefined;
  const left: LogStep[] = isHeadLeft ? ['head', 'inclusion'] : ['inclusion'];
  const unproved = { ...verdict, skipped: [...verdict.skipped, ...left] };
  if (isHeadLeft) return unproved;
  const head = readHead(proofs.head, keys);
  if ('step' in head) return { ...verdict, ok: false, ...head };
  const shrunk = growth && growthFault(growth.earlier, proofs.consistency, head, keys);
  if (shrunk !== undefined) return { ...verdict, ok: false, ...shrunk };
  if (proofs.inclusion === undefined) return unproved;
  const fault = verifyInLog(hashes, proofs.inclusion, head);
  return fault === undefined ? verdict : { ...verdict, ok: false, ...fault };
}

function growthFault(
  earlier: Buffer,
  proof: JsonValue | undefined,
  head: TreeHead,
  keys: VerificationKeys,
): LogFault | undefined {
  const before = readHead(readFile(earlier).items[0], keys);
  return 'step' in before ? before : verifyGrowth(before, head, proof);
}

/** Whether a file brings what shows that its log grew from an earlier head. */
export function bringsGrowth(file: Buffer): boolean {
  const { proofs } = readFile(file);
  return proofs?.head !== undefined && proofs.consistency !== undefined;
}

/** By the standalone verifier, which shares no code with the gateway that issued the receipts. */
function verdictOf({ items, fault, receipts }: ReceiptFile, { keys, onReceipt }: Proofs): ReceiptVerdict {
  const hasLinks = receipts === 'whole';
  const skipped: VerificationStep[] = [
    ...(hasLinks ? [] : (['previous_hash', 'merkle'] as const)),
    ...(keys === undefined ? (['signatures'] as const) : []),
  ];
  const chain = new ReceiptChain({ keys, hasLinks });
  for (const [index, item] of items.entries()) {
    const flaw = chain.take(item);
    onReceipt?.(index + 1, items.length);
    if (flaw === undefined) continue;
    const observed = flaw.step === 'schema' ? schemaFault(item) : flaw.observed;
    return { ok: false, ...flaw, index, observed, skipped };
  }
  if (fault === undefined && items.length > 0)
    return { ok: true, step: null, index: null, expected: null, observed: null, skipped };
  const observed = fault ?? 'no receipt';
  return { ok: false, step: 'schema', index: items.length, expected: 'a receipt', observed, skipped };
}

/** The member that makes a value no receipt, in words. */
function schemaFault(item: JsonValue): string {
  const [issue] = wireReceipt.safeParse(item).error?.issues ?? [];
  return `${(issue?.path ?? []).join('.') || 'the receipt'}: ${issue?.message ?? 'is no receipt'}`;
}

/** Every receipt of the file has to be one of the chain; its hash stands for it. */
function membership(file: ReceiptFile, chain: ReceiptFile, verdict: ReceiptVerdict): ReceiptVerdict {
  const known = new Set(chain.items.map(hashOf));
  const index = file.items.findIndex((item) => !known.has(hashOf(item)));
  if (index < 0) return verdict;
  const observed = hashOf(file.items[index] ?? null);
  return {
    ...verdict,
    ok: false,
    step: 'previous_hash',
    index,
    expected: 'a receipt of the chain',
    observed,
  };
}

function hashOf(receipt: JsonValue): string {
  const { chain } = receipt as JsonObject;
  return String((chain as JsonObject)['receipt_hash']);
}

/** JSON begins with a bracket; deterministic CBOR of a receipt never does. */
function readFile(bytes: Buffer): ReceiptFile {
  const [first = 0] = bytes.toString('latin1', 0, 64).trimStart();
  if (first === '{' || first === '[') return readReceipts(bytes, MAX_FILE_BYTES);
  try {
    return receiptsOf(decodeReceiptCbor(bytes));
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return { receipts: 'apart', items: [], fault };
  }
}

type LogStep = 'head' | 'consistency' | 'inclusion';

interface LogFault {
  step: LogStep;
  /** Place of the receipt in its file, from 0; null when the fault is of no receipt there. */
  index: number | null;
  expected: string;
  observed: string;
}

const hex = (hash: string): string => hash.slice('sha256:'.length);

/** The head, when a known key signed it; else what is wrong with it. Spec: RFC 6962, section 3.5. */
export function readHead(given: JsonValue | undefined, keys: VerificationKeys): TreeHead | LogFault {
  const parsed = treeHead.safeParse(given);
  if (!parsed.success) return fault('head', null, 'a head of a receipt log', 'something else');
  const verdict = verifyTreeHead(parsed.data, keys);
  if (verdict === 'ok') return parsed.data;
  return fault('head', null, `a head signed by ${parsed.data.key_id}`, verdict);
}

/**
 * Whether the log of the later head begins with that of the earlier one, by a proof that a gateway gave for their sizes: nothing
 * was dropped, changed or put in between. Both heads are verified before. Spec: RFC 6962, section 2.1.2.
 */
function verifyGrowth(
  earlier: TreeHead,
  later: TreeHead,
  given: JsonValue | undefined,
): LogFault | undefined {
  const parsed = consistency.safeParse(given);
  if (!parsed.success) return fault('consistency', null, 'a consistency proof', 'something else');
  const { first, second, proof } = parsed.data;
  if (earlier.log_id !== later.log_id)
    return fault('consistency', null, `a head of ${later.log_id}`, `one of ${earlier.log_id}`);
  // Only the roots of the heads are signed, so the proof has to be for their sizes.
  if (first.size !== earlier.size || second.size !== later.size) {
    const wanted = `a proof from ${earlier.size} to ${later.size}`;
    return fault('consistency', null, wanted, `one from ${first.size} to ${second.size}`);
  }
  const leads = verifyConsistency({ earlier: sized(earlier), later: sized(later), proof: proof.map(hex) });
  return leads
    ? undefined
    : fault('consistency', null, `a proof from ${earlier.root} to ${later.root}`, 'one of something else');
}

const sized = ({ size, root }: TreeHead) => ({ size, root: hex(root) });

/**
 * Whether proofs and receipts (their hashes, verified before) are the same set, and each proof leads to the root of the head.
 * A receipt without a proof may have been made after the head; a proof without its receipt shows that one was left out.
 */
function verifyInLog(
  hashes: readonly string[],
  proofs: readonly JsonValue[],
  head: TreeHead,
): LogFault | undefined {
  const byHash = new Map<string, Inclusion>();
  for (const given of proofs) {
    const parsed = inclusion.safeParse(given);
    if (!parsed.success) return fault('inclusion', null, 'an inclusion proof', 'something else');
    byHash.set(parsed.data.receipt_hash, parsed.data);
  }
  for (const [index, hash] of hashes.entries()) {
    const proof = byHash.get(hash);
    if (proof === undefined) return fault('inclusion', index, `a proof of ${hash}`, 'none');
    const flaw = flawOf(proof, head);
    if (flaw !== undefined) return fault('inclusion', index, ...flaw);
  }
  const known = new Set(hashes);
  const left = [...byHash.keys()].find((hash) => !known.has(hash));
  return left === undefined
    ? undefined
    : fault('inclusion', null, `the receipt ${left}, which is in the log`, 'none');
}

function fault(step: LogStep, index: number | null, expected: string, observed: string): LogFault {
  return { step, index, expected, observed };
}

/** Only the root of the head is signed, so the proof has to be for its size; what else the proof says is not trusted. */
function flawOf(
  { receipt_hash, index, size, proof }: Inclusion,
  head: TreeHead,
): [expected: string, observed: string] | undefined {
  if (size !== head.size)
    return [`a proof for the size ${head.size} of the head`, `one for the size ${size}`];
  const leads = verifyInclusion({
    index,
    size,
    leaf: leafHash(hex(receipt_hash)),
    root: hex(head.root),
    proof: proof.map(hex),
  });
  return leads ? undefined : [`a proof that leads to ${head.root}`, 'one that does not'];
}
