const HASH = `sha256:${'5'.repeat(64)}`;

const LOG_HEAD = {
  object: 'receipt_log_head',
  log_id: 'log_01KAHG6QJC3G0Z2K4N6Q8S0V2X',
  size: 1,
  root: HASH,
  timestamp: '2026-11-21T09:00:00.000Z',
  algorithm: 'ed25519',
  key_id: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  signature: `base64:${'A'.repeat(86)}==`,
};

/** Examples of the resources of the receipt log. */
export const RECEIPT_LOG_EXAMPLES = {
  ReceiptLogHead: LOG_HEAD,
  ReceiptLogInclusion: {
    object: 'receipt_log_inclusion',
    receipt_id: 'receipt_01KAHG6QJC3G0Z2K4N6Q8S0V2X',
    receipt_hash: HASH,
    leaf_hash: HASH,
    index: 0,
    size: 1,
    root: HASH,
    proof: [],
    head: LOG_HEAD,
  },
  ReceiptLogConsistency: {
    object: 'receipt_log_consistency',
    first: { size: 1, root: HASH },
    second: { size: 1, root: HASH },
    proof: [],
    head: LOG_HEAD,
  },
};
