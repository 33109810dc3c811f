import {
  CARD_SIGNATURE_STATUS,
  type CardSignatureStatus,
  type CardVerdict,
} from '#resources/agent/schema.ts';

/** What a verification found besides its word. */
export interface Found {
  algorithm?: string;
  keyId?: string;
  keys?: CardVerdict['keys'];
  covers?: CardVerdict['covers'];
}

export function verdictOf(status: CardSignatureStatus, found: Found = {}): CardVerdict {
  return {
    status,
    reason: CARD_SIGNATURE_STATUS[status],
    key_id: found.keyId ?? null,
    algorithm: found.algorithm ?? null,
    keys: found.keys ?? null,
    covers: found.covers ?? null,
  };
}
