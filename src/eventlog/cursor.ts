import { ProtocolError } from '#protocol/errors.ts';
import type { EventLog, StreamScope } from './event-log.ts';
import { isEventId, NO_EVENT } from './segment.ts';

/**
 * Checks a cursor a client sent; returns the event id to go on after. No cursor means from the start. Throws
 * `invalid_request` for a malformed one (naming `param`) and `cursor_expired` for one in the future, of another stream, or
 * behind retention: the client starts over. See src/surfaces/README.md, Cursors.
 */
export function checkCursor(
  log: EventLog,
  scope: StreamScope,
  cursor: string | undefined,
  param: string,
): string {
  if (cursor === undefined) return NO_EVENT;
  if (!isEventId(cursor))
    throw new ProtocolError('invalid_request', 'A cursor is an event id: 20 decimal digits.', { param });
  if (cursor === NO_EVENT) return cursor;
  if (cursor > log.head.eventId || !log.holds(scope, cursor)) throw cursorExpired(param);
  return cursor;
}

/** The caller starts over: without a cursor the stream begins with what is kept. */
export function cursorExpired(param?: string): ProtocolError {
  const message =
    'Events after this cursor are not kept any more, or it is of another stream. Read from the start.';
  return new ProtocolError('cursor_expired', message, param === undefined ? {} : { param });
}
