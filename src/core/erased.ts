import { ProtocolError } from '#protocol/errors.ts';
import type { CleanErasedState } from '#resources/erasure/state.ts';

/** The answer for what was erased: it is not there, and nobody has tampered with it. */
export function wasErased(
  object: string,
  erased: Pick<CleanErasedState, 'erasure_id' | 'erased_at' | 'receipt'>,
  param?: string,
): ProtocolError {
  const { erasure_id, erased_at, receipt } = erased;
  const message = `This ${object} was erased on ${erased_at}. ${erasure_id} says by whom and under which rule.`;
  return new ProtocolError('resource_not_found', message, {
    ...(param === undefined ? {} : { param }),
    details: {
      erased: true,
      erasure_id,
      erased_at,
      ...(receipt === undefined ? {} : { receipt_hash: receipt.hash, log_index: receipt.log_index }),
    },
  });
}
