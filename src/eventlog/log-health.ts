import { ProtocolError } from '../protocol/errors.ts';
import type { DiskShortage } from '../store/store.ts';
import type { Integrity, LogStatus } from './event-log.ts';

const RETRY_AFTER_SECONDS = 1;

/** Why a transaction cannot be taken now; undefined when it can. The caller retries with the same idempotency key. */
export function refusal(
  status: LogStatus,
  integrity: Integrity,
  shortage?: DiskShortage,
): ProtocolError | undefined {
  if (integrity.status !== 'ok')
    return unavailable('The log failed its integrity check; only reads are served until the operator acts.');
  if (status === 'fenced' && shortage !== undefined) return unavailable(shortage.reason);
  if (status === 'fenced') return unavailable('The store failed to write and is being reopened.');
  if (status !== 'open') return unavailable('The gateway is shutting down.');
  return undefined;
}

function unavailable(message: string): ProtocolError {
  return new ProtocolError('service_unavailable', `${message} Retry with the same Idempotency-Key.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
