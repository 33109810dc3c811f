import type { IncomingMessage } from 'node:http';
import { ProtocolError } from '../../protocol/errors.ts';

/** Headers that must not come twice: Node keeps the first, others the last, and an attacker uses the difference. */
const SINGLE_HEADERS = [
  'Host',
  'Authorization',
  'Idempotency-Key',
  'Content-Type',
  'Content-Length',
  'Transfer-Encoding',
  'Content-Encoding',
  'Harn-Agents-Protocol-Version',
  'Last-Event-ID',
  'Origin',
] as const;
const SINGLE_BY_NAME = new Map<string, number>(
  SINGLE_HEADERS.map((name, index) => [name.toLowerCase(), index]),
);
const SINGLE_LENGTHS = new Set(SINGLE_HEADERS.map((name) => name.length));

/** Refuses HTTP before 1.0, more headers than allowed, and a second one of a kind that decides something. */
export function checkHeaders(req: IncomingMessage, maxHeaders: number): void {
  if (req.httpVersionMajor !== 1) throw invalid('Send the request as HTTP/1.1.', 'version');
  const raw = req.rawHeaders;
  if (raw.length > maxHeaders * 2) {
    throw new ProtocolError(
      'payload_too_large',
      `The request has more than ${maxHeaders} headers. Send fewer.`,
    );
  }
  let seen = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (!SINGLE_LENGTHS.has(name.length)) continue;
    const index = SINGLE_BY_NAME.get(name.toLowerCase());
    if (index === undefined) continue;
    const bit = 1 << index;
    if ((seen & bit) !== 0)
      throw invalid(`Send the header ${SINGLE_HEADERS[index]} once.`, SINGLE_HEADERS[index]);
    seen |= bit;
  }
}

/** Unescaped or escaped characters that other readers of a path treat as a separator or the end. */
const AMBIGUOUS = /[^!-~]|[\\#]|%(?:2f|5c|00|0a|0d)/i;
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/**
 * Refuses targets that could be read as another resource elsewhere: absolute form, `//`, dot segments, escaped
 * separators, broken escapes. What passes is routed by its literal path.
 */
export function checkTarget(target: string): void {
  if (target.charCodeAt(0) !== 47 || target.charCodeAt(1) === 47) throw badTarget();
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  if (AMBIGUOUS.test(path) || DOT_SEGMENT.test(path)) throw badTarget();
  if (!target.includes('%')) return;
  try {
    decodeURIComponent(target);
  } catch (error) {
    throw badTarget(error);
  }
}

/** `Expect` has one meaning; any other cannot be met. */
export function checkExpectation(req: IncomingMessage): void {
  const { expect } = req.headers;
  if (expect === undefined || expect.toLowerCase() === '100-continue') return;
  throw invalid('Send no expectation other than 100-continue.', 'Expect');
}

/** Reading operations take no body; one that comes along anyway is a sign of a confused or hostile sender. */
export function refuseBody(): ProtocolError {
  return invalid('Send this request without a body.', 'body');
}

function badTarget(cause?: unknown): ProtocolError {
  return new ProtocolError(
    'invalid_request',
    'Send the plain path of the resource, with valid percent-encoding.',
    {
      param: 'path',
      cause,
    },
  );
}

function invalid(message: string, param: string | undefined): ProtocolError {
  return new ProtocolError('invalid_request', message, param === undefined ? {} : { param });
}
