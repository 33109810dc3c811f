import type { IncomingMessage } from 'node:http';
import { AT_ONCE_BYTES, type JsonReader } from '#json/json-reader.ts';
import type { Spool } from '#protocol/bytes.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { RawBody, SpooledBody } from '#resources/operations.ts';
import type { Exchange } from './exchange.ts';

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i;
const DEFAULT_RAW_TYPE = 'application/octet-stream';
/** A body in a file, which its reader closes. */
export interface Spooled extends SpooledBody {
  close(): Promise<void>;
}

const EMPTY = Buffer.alloc(0);

/**
 * Reads a JSON body; undefined when there is none. The size is checked before and while reading, never after.
 * Throws 413 `payload_too_large`, 400 for another content type, a content encoding or what the strict reader refuses.
 */
export async function readJson(
  exchange: Exchange,
  limits: { maxBodyBytes: number; maxJsonDepth: number },
  json: Pick<JsonReader, 'read'>,
): Promise<JsonValue | undefined> {
  const { req } = exchange;
  if (!declaresBody(req)) return undefined;
  refuseEncoded(req);
  const type = req.headers['content-type'];
  if (type !== 'application/json' && !JSON_MEDIA_TYPE.test(type ?? '')) {
    throw new ProtocolError('invalid_request', 'Send the body as application/json in UTF-8.', {
      param: 'Content-Type',
    });
  }
  const bytes = await collect(exchange, limits.maxBodyBytes);
  if (bytes.length === 0) return undefined;
  return await parseBody(exchange, bytes, limits, json);
}

/** The JSON value of a body that was read. */
export function parseBody(
  exchange: Exchange,
  bytes: Buffer,
  { maxBodyBytes, maxJsonDepth }: { maxBodyBytes: number; maxJsonDepth: number },
  json: Pick<JsonReader, 'read'>,
): JsonValue | Promise<JsonValue> {
  // The signal is made on demand; it is worth that only where there is something to give up.
  const signal = bytes.length > AT_ONCE_BYTES ? exchange.signal : undefined;
  return json.read(bytes, { maxBytes: maxBodyBytes, maxDepth: maxJsonDepth }, signal);
}

/** Reads a raw body of at most `maxBytes` with its declared media type. */
export async function readRaw(exchange: Exchange, maxBytes: number): Promise<RawBody> {
  const { req } = exchange;
  refuseEncoded(req);
  const bytes = declaresBody(req) ? await collect(exchange, maxBytes) : EMPTY;
  return { bytes, mimeType: req.headers['content-type'] ?? DEFAULT_RAW_TYPE };
}

/** Writes a raw body of at most `maxBytes` to a file, as it comes. */
export async function readSpooled(exchange: Exchange, maxBytes: number, spool: Spool): Promise<Spooled> {
  const { req } = exchange;
  refuseEncoded(req);
  declaredSize(exchange, maxBytes);
  const file = await spool.open();
  try {
    if (declaresBody(req)) await receive(exchange, maxBytes, (chunk) => file.write(chunk));
    return { spooled: file.finish(), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Encoded bodies would be judged by a size they do not have. */
function refuseEncoded(req: IncomingMessage): void {
  const encoding = req.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  throw new ProtocolError('invalid_request', 'Send the body without content encoding.', {
    param: 'Content-Encoding',
  });
}

function tooLarge(maxBytes: number): ProtocolError {
  return new ProtocolError('payload_too_large', `The body exceeds ${maxBytes} bytes. Send less at once.`, {
    details: { max_bytes: maxBytes },
  });
}

function clientLeft(): ProtocolError {
  return new ProtocolError('client_closed_request', 'The client left before its request was complete.');
}

/** Longer bodies of a declared length are put together where they stay: joined from pieces they would be there twice. */
const IN_PLACE_BYTES = 1024 * 1024;

async function collect(exchange: Exchange, maxBytes: number): Promise<Buffer> {
  const declared = declaredSize(exchange, maxBytes);
  const place = declared > IN_PLACE_BYTES ? Buffer.allocUnsafeSlow(declared) : undefined;
  const chunks: Buffer[] = [];
  const size = await receive(exchange, maxBytes, (chunk, at) => {
    if (place === undefined) chunks.push(chunk);
    else chunk.copy(place, at);
  });
  return place?.subarray(0, size) ?? joined(chunks, size);
}

/** Refuses what says already that it is too large. */
function declaredSize({ req }: Exchange, maxBytes: number): number {
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  return declared;
}

/** Hands over the body as it comes, no more of it while a chunk is being taken; resolves with its size. */
async function receive(
  { req, res }: Exchange,
  maxBytes: number,
  take: (chunk: Buffer, at: number) => Promise<void> | undefined,
): Promise<number> {
  // Nothing is sent any more to a client that left while its file was opened.
  if (req.destroyed) throw clientLeft();
  if (req.headers.expect !== undefined) res.writeContinue();
  return await new Promise<number>((resolve, reject) => {
    let size = 0;
    let taken: Promise<void> | undefined;
    const settle = (error?: unknown) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      if (error !== undefined) reject(error);
      else resolve(size);
    };
    const stop = (error: unknown) => {
      req.pause();
      settle(error);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return stop(tooLarge(maxBytes));
      taken = take(chunk, size - chunk.length);
      if (taken === undefined) return;
      req.pause();
      taken.then(() => req.resume(), stop);
    };
    // A paused request reports its end all the same.
    const onEnd = () => {
      req.off('close', onClose);
      if (taken === undefined) settle();
      else taken.then(() => settle(), settle);
    };
    const onClose = () => settle(clientLeft());
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

function joined(chunks: readonly Buffer[], size: number): Buffer {
  return chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks, size);
}

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
