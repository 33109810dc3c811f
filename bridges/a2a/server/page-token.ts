import { ProtocolError } from '#protocol/errors.ts';
import { refusal } from '../../../mappings/a2a/errors-out.ts';

/** The same refusal under the name that a cursor has in A2A. */
export function pageTokenFault(error: unknown): unknown {
  const isCursor = error instanceof ProtocolError && error.param === 'cursor';
  return isCursor ? refusal('InvalidParams', 'Send a page token that this list gave.', 'pageToken') : error;
}
