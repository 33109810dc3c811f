const HASH_BYTES = 32;
const PREFIX = 'sha256:';
/** Every fourth level is stored: a fifteenth of a node per leaf, and at most eight reads for a node between. */
const STORED_LEVELS = 4;

/** Whether the receipt log stores the nodes of this level of its tree; it makes the others when it needs them. */
export const isStoredLevel = (level: number): boolean => level > 0 && level % STORED_LEVELS === 0;

/** One receipt in the gateway-wide receipt log. */
export interface LogLeaf {
  /** `sha256:` and 64 hex digits; its raw bytes are the content of the leaf (Spec: RFC 6962). */
  receiptHash: string;
  receiptId: string;
}

/** The record of a leaf: the 32 bytes of the receipt hash, then the id of the receipt. */
export function encodeLeaf({ receiptHash, receiptId }: LogLeaf): Buffer {
  return Buffer.concat([Buffer.from(receiptHash.slice(PREFIX.length), 'hex'), Buffer.from(receiptId)]);
}

export function decodeLeaf(record: Buffer): LogLeaf {
  return {
    receiptHash: PREFIX + record.toString('hex', 0, HASH_BYTES),
    receiptId: record.toString('utf8', HASH_BYTES),
  };
}
