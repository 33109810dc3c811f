import { ProtocolError } from '#protocol/errors.ts';

/** The caller starts over: without a cursor the stream begins with what is kept. */
export function cursorExpired(param?: string): ProtocolError {
  const message =
    'Events after this cursor are not kept any more, or it is of another stream. Read from the start.';
  return new ProtocolError('cursor_expired', message, param === undefined ? {} : { param });
}
