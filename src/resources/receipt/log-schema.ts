import { z } from 'zod';
import { time } from '#protocol/envelope.ts';
import { sha256 } from './parts-schema.ts';

const size = z.int().min(0);
const proof = z.array(sha256);

/**
 * What the receipt log was at one moment: the RFC 6962 root over the first `size` receipt hashes of this gateway. The signature
 * is over the RFC 8785 bytes of the other members.
 */
export const treeHead = z
  .object({
    object: z.literal('receipt_log_head'),
    log_id: z.string(),
    size,
    root: sha256,
    timestamp: time,
    algorithm: z.literal('ed25519'),
    key_id: z.string(),
    signature: z.string(),
  })
  .meta({ id: 'ReceiptLogHead' });
export type TreeHead = z.infer<typeof treeHead>;

/** Shows that a receipt is in the log: `proof` leads from `leaf_hash` to the root of a tree of `size` leaves. */
export const inclusion = z
  .object({
    object: z.literal('receipt_log_inclusion'),
    receipt_id: z.string(),
    receipt_hash: sha256,
    leaf_hash: sha256,
    index: size,
    size,
    root: sha256,
    proof,
    head: treeHead,
  })
  .meta({ id: 'ReceiptLogInclusion' });
export type Inclusion = z.infer<typeof inclusion>;

/** Shows that nothing was dropped or changed between two sizes of the log. */
export const consistency = z
  .object({
    object: z.literal('receipt_log_consistency'),
    first: z.object({ size, root: sha256 }),
    second: z.object({ size, root: sha256 }),
    proof,
    head: treeHead,
  })
  .meta({ id: 'ReceiptLogConsistency' });
