import { STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ProtocolError } from '#protocol/errors.ts';
import type { Logger } from '#protocol/ports.ts';
import type { Timers } from '../timers.ts';
import type { Challenges } from './challenges.ts';
import { type Exchange, errorHeaders, exchangeOn, JSON_TYPE, SAFETY } from './exchange.ts';

/** Time for the client to read the refusal before the socket is cut. */
const LINGER_MS = 1_000;

export interface ParseFailureDeps {
  logger: Logger;
  timers: Timers;
  newRequestId(): string;
  challenges: Challenges;
}

/** The error of a request that Node could not parse or that came too slowly. */
function failureOf(error: NodeJS.ErrnoException): ProtocolError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ProtocolError('payload_too_large', 'The headers are too large. Send fewer or shorter ones.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProtocolError(
        'invalid_request',
        'The request came too slowly. Send it again without pauses.',
      );
    default:
      return new ProtocolError(
        'invalid_request',
        'The request is not well-formed HTTP/1.1. Correct its framing.',
      );
  }
}

/**
 * Answers a broken request on the bare socket and closes it. Nothing is written when the client would take the refusal for
 * another answer.
 */
export function answerParseFailure(
  deps: ParseFailureDeps,
  error: NodeJS.ErrnoException,
  socket: Duplex,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const current = socket instanceof Socket ? exchangeOn(socket) : undefined;
  if (current !== undefined && wouldBeTaken(current)) {
    socket.destroy();
    return;
  }
  writeRefusal(deps, failureOf(error), socket);
}

/**
 * An earlier request is still being answered, or this one was answered already, before its body came (a refusal by its
 * head): a second answer would be taken for that of the next request.
 */
function wouldBeTaken({ req, res }: Exchange): boolean {
  return req.complete ? !res.writableFinished : res.headersSent;
}

/** Writes the error envelope on a bare socket, then closes it; `headers` is a flat list of names and values. */
export function writeRefusal(
  deps: ParseFailureDeps,
  error: ProtocolError,
  socket: Duplex,
  requestId: string = deps.newRequestId(),
  headers: readonly string[] = [],
): void {
  deps.logger.info(
    { request_id: requestId, status: error.status, error_code: error.code, reason: error.challenge?.reason },
    'request refused',
  );
  const body = JSON.stringify(error.toBody(requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Error'}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headerLines(SAFETY),
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    ...headerLines([...headers, ...errorHeaders(error, deps.challenges)]),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  deps.timers.after(LINGER_MS, () => socket.destroy());
}

function headerLines(pairs: readonly string[]): string[] {
  return pairs.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${pairs[at + 1]}`] : []));
}
