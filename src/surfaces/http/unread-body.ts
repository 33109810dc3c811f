import type { IncomingMessage } from 'node:http';
import type { Exchange } from './exchange.ts';

/** A refused body up to this size is read away, so that the connection can be used again. */
const DISCARDABLE_BYTES = 64 * 1024;

/** Time for a client to read its refusal before the connection is cut under its half-sent body. */
const LINGER_MS = 1_000;

export function declaresBody(req: IncomingMessage): boolean {
  const { headers } = req;
  if (headers['transfer-encoding'] !== undefined) return true;
  return headers['content-length'] !== undefined && headers['content-length'] !== '0';
}

/** True when the client is still sending a body that is too large to read away. */
export function hasUnreadBody(req: IncomingMessage): boolean {
  if (req.complete || !declaresBody(req)) return false;
  const declared = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return declared > DISCARDABLE_BYTES;
}

/**
 * Stops reading and closes the connection after the answer. The socket is half-closed first: destroying it with unread
 * bytes makes the kernel reset it, and the client could lose the answer.
 */
export function closeWithoutReading(exchange: Exchange): void {
  const { req, res, deps } = exchange;
  const { socket } = req;
  res.shouldKeepAlive = false;
  req.pause();
  // Marks the request as consumed: Node would otherwise read the rest of the body away.
  req.read(0);
  socket.destroySoon = () => {
    socket.end();
    deps.timers.after(LINGER_MS, () => socket.destroy());
  };
}
