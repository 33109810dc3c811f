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

/** Examples of the receipt log and of a verification. */
export const RECEIPT_LOG_EXAMPLES = {
  ReceiptVerification: {
    valid: false,
    checked_at: '2026-11-21T09:00:00.000Z',
    reason: 'The step compare fails at receipt 2 of the chain.',
    details: { ok: false, step: 'compare', index: 2, expected: HASH, observed: HASH, skipped: [] },
  },
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
  TaskMaterial: {
    object: 'task_material',
    id: 'a2a:sample:1',
    n: 1,
    kind: 'llm_provider_response',
    sha256: HASH,
  },
  ReceiptLogConsistency: {
    object: 'receipt_log_consistency',
    first: { size: 1, root: HASH },
    second: { size: 1, root: HASH },
    proof: [],
    head: LOG_HEAD,
  },
};
