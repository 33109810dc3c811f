import { ProtocolError } from '#protocol/errors.ts';
import { IntegrityError, StoreOpenError } from './store-errors.ts';

const RETRY_AFTER_SECONDS = 1;

/** Codes of LevelDB that say "this handle is shut", as opposed to "the files are bad". */
const SHUT_HANDLE = new Set([
  'LEVEL_DATABASE_NOT_OPEN',
  'LEVEL_ITERATOR_NOT_OPEN',
  'LEVEL_BATCH_NOT_OPEN',
  'LEVEL_SNAPSHOT_NOT_OPEN',
  'LEVEL_ABORTED',
]);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The answer to every caller while the store cannot serve; the caller retries with the same idempotency key. */
export function storeUnavailable(message: string, cause?: unknown): ProtocolError {
  return new ProtocolError('service_unavailable', `${message} Retry with the same Idempotency-Key.`, {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** A failed read: damaged blocks are an IntegrityError at `where`, everything else is `service_unavailable`. */
export function readFailure(error: unknown, where: string): Error {
  if (error instanceof IntegrityError) return error;
  if (codeOf(error) === 'LEVEL_CORRUPTION')
    return new IntegrityError(where, 'a readable block', 'LEVEL_CORRUPTION', error);
  if (SHUT_HANDLE.has(codeOf(error))) return storeUnavailable('The store is not open.', error);
  return storeUnavailable('The store cannot be read.', error);
}

const RESTORE = 'Nothing was changed. Restore a backup of the whole data directory.';
const HELP =
  'Mend what it names; where CURRENT or a MANIFEST file is damaged or missing, restore a backup of the whole data directory.';

/** A damaged name of a file may hold characters that steer a terminal. */
const shown = (detail: string) => detail.replace(/\p{Cc}/gu, '?');

/** Sorts what LevelDB says about a failed open into the three reasons an operator can act on. */
export function openFailure(error: unknown, path: string): StoreOpenError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const detail = cause instanceof Error ? cause.message : String(cause);
  switch (codeOf(cause)) {
    case 'LEVEL_LOCKED':
      return new StoreOpenError('locked', path, `${path} is in use by another process: ${detail}`, { cause });
    case 'LEVEL_CORRUPTION':
      return new StoreOpenError('corrupt', path, `${path} is damaged: ${shown(detail)}. ${RESTORE}`, {
        cause,
      });
    default:
      return new StoreOpenError('unreadable', path, `${path} cannot be opened: ${shown(detail)}. ${HELP}`, {
        cause,
      });
  }
}
