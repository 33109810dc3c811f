import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { RECEIPT_FORMAT, type WireReceipt, wireReceipt } from '#resources/receipt/schema.ts';
import { appendLeaf, type HexHash, rootOf } from './merkle.ts';
import { type VerificationKeys, verifySignature } from './verification-keys.ts';

export type VerificationStep =
  | 'schema'
  | 'strip'
  | 'canonicalize'
  | 'compare'
  | 'previous_hash'
  | 'merkle'
  | 'signatures';

export interface ReceiptVerdict {
  ok: boolean;
  /** The first step that failed, at the first receipt that does not verify; null when all do. */
  step: VerificationStep | null;
  /** Place of that receipt in the chain, from 0. */
  index: number | null;
  expected: string | null;
  observed: string | null;
  /** Steps that could not be done for want of the receipts before, or of keys. */
  skipped: VerificationStep[];
}

interface Fault {
  expected: string;
  observed: string;
}

/** A chain as far as it is verified. */
interface ChainSoFar {
  /** Hash of the newest receipt that is no replay; null before the first. */
  previousHash: string | null;
  /** All hashes so far: a replay follows the receipt of its source, wherever that stands. */
  readonly seen: Set<string>;
  /** Of the receipts that are no replays. */
  frontier: HexHash[];
  size: number;
}

/** One receipt on its way through the steps; each fills in what the next one needs. */
interface Passage {
  readonly given: JsonValue;
  readonly chain: ChainSoFar;
  readonly keys: VerificationKeys;
  receipt?: WireReceipt;
  unsigned?: JsonObject;
  text?: string;
}

/** In this order; the first that fails is the verdict, see README.md, What a verdict says. A step answers with what is wrong. */
const STEPS: readonly (readonly [VerificationStep, (passage: Passage) => Fault | undefined])[] = [
  ['schema', checkSchema],
  ['strip', strip],
  ['canonicalize', canonicalize],
  ['compare', compareHash],
  ['previous_hash', checkPreviousHash],
  ['merkle', checkMerkleRoot],
  ['signatures', checkSignatures],
];
const NEEDS_CHAIN: readonly VerificationStep[] = ['previous_hash', 'merkle'];

export interface ChainVerifierOptions {
  /** Undefined: signatures are not checked, and the verdict says so. */
  keys: VerificationKeys | undefined;
  /**
   * `whole`: the receipts of one chain from its first on. `apart`: receipts without those before them; their links are not
   * checked, and the verdict says so.
   */
  receipts: 'whole' | 'apart';
}

/** Verifies the receipts of a chain one after the other, so that a long chain need not be in memory. */
export class ChainVerifier {
  readonly #steps: typeof STEPS;
  readonly #keys: VerificationKeys;
  readonly #skipped: VerificationStep[];
  readonly #chain: ChainSoFar = { previousHash: null, seen: new Set(), frontier: [], size: 0 };
  #index = 0;

  constructor({ keys, receipts }: ChainVerifierOptions) {
    this.#skipped = [
      ...(receipts === 'apart' ? NEEDS_CHAIN : []),
      ...(keys === undefined ? (['signatures'] as const) : []),
    ];
    this.#steps = STEPS.filter(([name]) => !this.#skipped.includes(name));
    this.#keys = keys ?? new Map();
  }

  /** The verdict over the chain with this receipt. After one that is not `ok` there is no going on. */
  take(given: JsonValue): ReceiptVerdict {
    const passage: Passage = { given, chain: this.#chain, keys: this.#keys };
    for (const [step, check] of this.#steps) {
      const fault = check(passage);
      if (fault) return { ok: false, step, index: this.#index, ...fault, skipped: this.#skipped };
    }
    extend(this.#chain, read(passage.receipt));
    this.#index += 1;
    return this.verdict();
  }

  /** Goes on over a receipt that was erased, and of which its hash is left: the links of those behind it are checked against that. */
  pass(receiptHash: string): void {
    link(this.#chain, receiptHash);
    this.#index += 1;
  }

  /** The verdict over what was taken so far. */
  verdict(): ReceiptVerdict {
    return { ok: true, step: null, index: null, expected: null, observed: null, skipped: this.#skipped };
  }
}

/** Verifies receipts in their order; stops at the first that does not verify. */
export function verifyChain(receipts: Iterable<JsonValue>, options: ChainVerifierOptions): ReceiptVerdict {
  const verifier = new ChainVerifier(options);
  for (const receipt of receipts) {
    const verdict = verifier.take(receipt);
    if (!verdict.ok) return verdict;
  }
  return verifier.verdict();
}

function checkSchema(passage: Passage): Fault | undefined {
  const parsed = wireReceipt.safeParse(passage.given);
  if (parsed.success) {
    // The hash is over what was given, so the parsed copy is not used.
    passage.receipt = passage.given as unknown as WireReceipt;
    return undefined;
  }
  const [issue] = parsed.error.issues;
  return {
    expected: `a receipt of the schema ${RECEIPT_FORMAT}`,
    observed: `${(issue?.path ?? []).join('.') || 'the receipt'}: ${issue?.message}`,
  };
}

/** Takes out what the hash cannot cover: itself, and what is made from it. */
function strip(passage: Passage): undefined {
  const { signatures: _signatures, ...unsigned } = read(passage.receipt);
  const { receipt_hash: _hash, ...links } = unsigned.chain;
  // The members keep their places: what was read from canonical text is spelled faster.
  passage.unsigned = Object.assign(unsigned, { chain: links }) as unknown as JsonObject;
}

function canonicalize(passage: Passage): Fault | undefined {
  try {
    passage.text = canonicalJson(read(passage.unsigned));
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { expected: 'a value that RFC 8785 can spell', observed: why };
  }
}

function compareHash({ text, receipt }: Passage): Fault | undefined {
  return unequal(`sha256:${sha256Hex(read(text))}`, read(receipt).chain.receipt_hash);
}

function checkPreviousHash({ receipt, chain }: Passage): Fault | undefined {
  const observed = read(receipt).chain.previous_receipt_hash;
  if (isReplay(read(receipt))) {
    const known = observed === null || chain.seen.has(observed);
    return known ? undefined : { expected: 'the hash of its source', observed: String(observed) };
  }
  return unequal(String(chain.previousHash), String(observed));
}

/** Absent for the first receipt of a chain, and for a replay, which is no part of it. */
function checkMerkleRoot({ receipt, chain }: Passage): Fault | undefined {
  const { merkle_root: observed = 'none' } = read(receipt).chain;
  const isRootless = chain.size === 0 || isReplay(read(receipt));
  return unequal(isRootless ? 'none' : `sha256:${rootOf(chain.frontier)}`, observed);
}

const ALGORITHM = 'ed25519';
const SIGNATURE_PREFIX = 'base64:';

/** Every signature has to hold, and there has to be one: by the key that the receipt names, if it names one. */
function checkSignatures({ receipt, keys }: Passage): Fault | undefined {
  const { signatures = [], issuer } = read(receipt);
  const expected = `a signature by ${issuer.public_key_id ?? 'a known key'}`;
  const named = issuer.public_key_id;
  if (signatures.length === 0) return { expected, observed: 'none' };
  if (named !== undefined && !signatures.some(({ key_id }) => key_id === named))
    return { expected, observed: `by ${signatures.map(({ key_id }) => key_id).join(', ')}` };
  for (const one of signatures) {
    const verdict = signatureVerdict(read(receipt), one, keys);
    if (verdict !== 'ok') return { expected: `a signature by ${one.key_id}`, observed: verdict };
  }
  return undefined;
}

type Signature = NonNullable<WireReceipt['signatures']>[number];

/**
 * The time of a signature is `issued_at`, which is hashed; a `signed_at` is only a claim, and has to fit as well. A replay
 * repeats a recorded `issued_at`, and its key may be younger than that.
 */
function signatureVerdict(receipt: WireReceipt, one: Signature, keys: VerificationKeys): string {
  if (one.algorithm !== ALGORITHM) return 'unknown_algorithm';
  if (!one.signature.startsWith(SIGNATURE_PREFIX)) return 'invalid_signature';
  const times = [receipt.issued_at, ...(one.signed_at === undefined ? [] : [one.signed_at])];
  return verifySignature(keys, {
    keyId: one.key_id,
    bytes: Buffer.from(receipt.chain.receipt_hash),
    signature: one.signature.slice(SIGNATURE_PREFIX.length),
    timesMs: times.map((time) => Date.parse(time)),
    orLater: isReplay(receipt),
  });
}

function extend(chain: ChainSoFar, receipt: WireReceipt): void {
  const hash = receipt.chain.receipt_hash;
  if (isReplay(receipt)) chain.seen.add(hash);
  else link(chain, hash);
}

function link(chain: ChainSoFar, hash: string): void {
  chain.seen.add(hash);
  chain.previousHash = hash;
  chain.frontier = appendLeaf(chain.frontier, chain.size, hash.slice('sha256:'.length));
  chain.size += 1;
}

const isReplay = (receipt: WireReceipt): boolean => receipt.subject.object === 'replay_segment';

function unequal(expected: string, observed: string): Fault | undefined {
  return expected === observed ? undefined : { expected, observed };
}

/** What an earlier step has filled in. */
function read<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a step of the verification ran before the one it needs');
  return value;
}
