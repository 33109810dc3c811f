import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { type ReceiptFile, readReceipts, receiptsOf } from './read-receipts.ts';
import { decodeReceiptCbor } from './receipt-cbor.ts';
import type { VerificationKeys } from './verification-keys.ts';
import { ChainVerifier, type ReceiptVerdict } from './verify-chain.ts';

const MAX_FILE_BYTES = 512 * 1024 * 1024;

export interface FileVerdict extends ReceiptVerdict {
  /** Receipts in the file. */
  receipts: number;
}

/**
 * Verifies the receipts of a file without a gateway. `chain`: another file with the chain they belong to, from its first
 * receipt on; then their links are verified too. Without `keys` signatures are left out, and the verdict says so.
 */
export function verifyFile(
  file: Buffer,
  given: { keys: VerificationKeys | undefined; chain?: Buffer },
): FileVerdict {
  const read = readFile(file);
  const own = verdictOf(read, given.keys);
  if (!own.ok || given.chain === undefined) return { ...own, receipts: read.items.length };
  const chain = readFile(given.chain);
  const whole = verdictOf({ ...chain, receipts: 'whole' }, given.keys);
  return { ...(whole.ok ? membership(read, chain, whole) : whole), receipts: read.items.length };
}

function verdictOf(
  { items, fault, receipts }: ReceiptFile,
  keys: VerificationKeys | undefined,
): ReceiptVerdict {
  const verifier = new ChainVerifier({ keys, receipts });
  for (const item of items) {
    const verdict = verifier.take(item);
    if (!verdict.ok) return verdict;
  }
  if (fault === undefined && items.length > 0) return verifier.verdict();
  const observed = fault ?? 'no receipt';
  return {
    ...verifier.verdict(),
    ok: false,
    step: 'schema',
    index: items.length,
    expected: 'a receipt',
    observed,
  };
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
