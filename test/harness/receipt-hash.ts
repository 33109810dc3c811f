import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { WireReceipt } from '#resources/receipt/schema.ts';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');

/** The hash of a receipt, made by another way than the gateway's. */
export function receiptHash(receipt: WireReceipt): string {
  const { signatures: _, ...rest } = structuredClone(receipt) as unknown as Record<string, JsonValue>;
  const { receipt_hash: __, ...chain } = rest['chain'] as JsonObject;
  return `sha256:${sha256(canonicalize({ ...rest, chain }) ?? '')}`;
}

/** The RFC 6962 root over receipt hashes, by the definition. */
export function merkleRoot(hashes: readonly string[]): Buffer {
  const digest = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  if (hashes.length === 1) return digest(Buffer.of(0), Buffer.from((hashes[0] ?? '').slice(7), 'hex'));
  const left = 2 ** Math.floor(Math.log2(hashes.length - 1));
  return digest(Buffer.of(1), merkleRoot(hashes.slice(0, left)), merkleRoot(hashes.slice(left)));
}
