import type { JsonValue } from '#protocol/json.ts';
import {
  consistency,
  type Inclusion,
  inclusion,
  type TreeHead,
  treeHead,
} from '#resources/receipt/log-schema.ts';
import { leafHash, verifyConsistency, verifyInclusion } from './merkle.ts';
import { verifyTreeHead } from './tree-head.ts';
import type { VerificationKeys } from './verification-keys.ts';

export type LogStep = 'head' | 'consistency' | 'inclusion';

export interface LogFault {
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
export function verifyGrowth(
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
export function verifyInLog(
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
