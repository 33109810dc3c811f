import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { type ErrorCode, ProtocolError } from '#protocol/errors.ts';
import { OF_CONNECTION } from './headers.ts';
import { held } from './held.ts';

/** Of a message: whether it is compressed, and four bytes of its length. Spec: PROTOCOL-HTTP2, "Length-Prefixed-Message". */
const PREFIX_BYTES = 5;
/** More than any message that a node answers itself has. */
const MAX_MESSAGE_BYTES = 16 * 1024;

/** Statuses of gRPC by what a door refuses with. */
const STATUS_OF: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_request: 3,
  payload_too_large: 8,
  service_unavailable: 14,
};
const INTERNAL = 13;

/** The trailers of a call that ends like this. */
export function trailersOf({ code, message, retryAfterSeconds }: ProtocolError): OutgoingHttpHeaders {
  const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { ...statusTrailers(STATUS_OF[code] ?? INTERNAL, message), ...wait };
}

export function statusTrailers(code: number, message = ''): OutgoingHttpHeaders {
  // Spec: PROTOCOL-HTTP2, "Percent-Encoded".
  const said = message === '' ? {} : { 'grpc-message': encodeURIComponent(message).replaceAll('%20', ' ') };
  return { 'grpc-status': String(code), ...said };
}

/** Ends a call of which nothing was answered. */
export function refuse(stream: ServerHttp2Stream, trailers: OutgoingHttpHeaders): void {
  if (stream.destroyed || stream.headersSent) return;
  respondWhole(stream, { ':status': 200, 'content-type': 'application/grpc', ...trailers });
}

/** Answers with headers alone. */
export function respondWhole(stream: ServerHttp2Stream, head: OutgoingHttpHeaders): void {
  stream.respond(head, { endStream: true });
  leaveUnread(stream);
}

/** Tells a client that still sends to stop, as all is answered. Spec: RFC 9113, section 8.1. */
export function leaveUnread(stream: ServerHttp2Stream): void {
  if (stream.readableEnded) return;
  // At once, it would overtake the trailers.
  setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
}

/** What of metadata is about the call and not about one connection. */
export function ofCall(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith(':') && !OF_CONNECTION.has(name)),
  );
}

/** The one message of a call that a node answers itself. Rejects with `invalid_request`. */
export async function readMessage(stream: ServerHttp2Stream): Promise<Buffer> {
  const { held: bytes, isWhole } = await held(stream, MAX_MESSAGE_BYTES);
  const isPlain = isWhole && bytes.length >= PREFIX_BYTES && bytes[0] === 0;
  if (!isPlain || bytes.readUInt32BE(1) !== bytes.length - PREFIX_BYTES)
    throw new ProtocolError('invalid_request', 'Send one short message, as it is and not compressed.');
  return bytes.subarray(PREFIX_BYTES);
}

export function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
