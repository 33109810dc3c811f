import type { ProtocolError } from '#protocol/errors.ts';

/** Why the gateway closes a socket. 1007 (bad UTF-8) and 1009 (too large) come from the frame parser. */
export const CLOSE = {
  /** The one stream of the socket is complete. */
  complete: 1000,
  /** Shutdown: reconnect after the time in the reason, resume by cursor. */
  draining: 1001,
  /** Frames are JSON text. */
  binary: 1003,
  /** Too many frames. */
  flood: 1008,
  /** The stream of the socket failed. */
  failed: 1011,
  /** The credential is no longer valid. */
  unauthenticated: 4401,
  /** More than the byte cap waited unread: resume by cursor. */
  tooSlow: 4408,
  /** The cursor cannot be served: read the stream from the start. */
  cursorExpired: 4410,
} as const;

/** The code for a socket whose one stream, or whose credential, has come to its end. */
export function closeCodeOf(
  reason: 'complete' | 'unauthenticated' | 'failed',
  error: ProtocolError | undefined,
): number {
  if (reason === 'complete') return CLOSE.complete;
  if (reason === 'unauthenticated') return CLOSE.unauthenticated;
  return error?.code === 'cursor_expired' ? CLOSE.cursorExpired : CLOSE.failed;
}
