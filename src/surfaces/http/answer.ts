import { ProtocolError } from '#protocol/errors.ts';
import { closeWithoutReading, hasUnreadBody } from './body.ts';
import type { Challenges } from './challenges.ts';
import type { Exchange } from './exchange.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Nothing the gateway serves may be sniffed, framed or run by a browser. */
const SAFETY = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
] as const;

const DEFAULT_RETRY_SECONDS = 1;

/** Writes the head; `headers` is a flat list of names and values. `Cache-Control` is `no-store` unless listed. */
export function writeHead(exchange: Exchange, status: number, headers: readonly string[]): void {
  const lines = [...SAFETY, 'X-Request-Id', exchange.requestId, ...exchange.headers, ...headers];
  if (!headers.includes('Cache-Control')) lines.push('Cache-Control', 'no-store');
  if (hasUnreadBody(exchange.req)) closeWithoutReading(exchange);
  if (exchange.deps.isDraining() || exchange.res.shouldKeepAlive === false) lines.push('Connection', 'close');
  exchange.res.writeHead(status, lines);
}

/** Sets what every answer carries on a response that a library writes. */
export function setSafety(exchange: Exchange): void {
  const lines = [
    ...SAFETY,
    'X-Request-Id',
    exchange.requestId,
    ...exchange.headers,
    'Cache-Control',
    'no-store',
  ];
  for (let at = 0; at < lines.length; at += 2) exchange.res.setHeader(lines[at] ?? '', lines[at + 1] ?? '');
}

/** Sends a whole text or buffer. */
export function send(
  exchange: Exchange,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: readonly string[] = [],
): void {
  if (exchange.isGone || exchange.res.headersSent) return;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  writeHead(exchange, status, ['Content-Type', contentType, 'Content-Length', String(length), ...headers]);
  exchange.res.end(body);
}

export function sendJson(
  exchange: Exchange,
  status: number,
  value: unknown,
  headers: readonly string[] = [],
): void {
  send(exchange, status, JSON_TYPE, JSON.stringify(value), headers);
}

/** An answer without body: 204 and 304. */
export function sendEmpty(exchange: Exchange, status: number, headers: readonly string[] = []): void {
  if (exchange.isGone || exchange.res.headersSent) return;
  writeHead(exchange, status, headers);
  exchange.res.end();
}

/**
 * Answers with the error envelope, or logs why it cannot. Internal causes go to the log, never to the client.
 * Source: Agents Protocol v1, "Error taxonomy".
 */
export function sendError(exchange: Exchange, thrown: unknown, headers: readonly string[] = []): void {
  const error = ProtocolError.from(thrown);
  exchange.answeredWith(error);
  if (error.status >= 500) logFailure(exchange, error);
  if (exchange.res.headersSent) {
    exchange.res.destroy();
    return;
  }
  const own = errorHeaders(error, exchange.deps.challenges);
  sendJson(exchange, error.status, error.toBody(exchange.requestId), [...headers, ...own]);
}

/** An answer that began cannot become an error: its connection is reset, and the log says why. */
export function cutAnswer(exchange: Exchange, thrown: unknown): void {
  const error = ProtocolError.from(thrown);
  exchange.errorCode = error.code;
  exchange.isCut = true;
  exchange.deps.logger.error(
    { request_id: exchange.requestId, route: exchange.route, code: error.code, err: error.cause ?? error },
    'answer cut off',
  );
  exchange.res.destroy();
}

/** Headers an error answer has besides the usual ones, names and values in turn. */
export function errorHeaders(error: ProtocolError, challenges: Challenges): string[] {
  if (error.status === 401) return challenges(error);
  if (error.status !== 429 && error.status !== 503) return [];
  return ['Retry-After', String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? DEFAULT_RETRY_SECONDS)))];
}

/** Internal causes go to the log, never to the client. */
export function logFailure(exchange: Exchange, error: ProtocolError): void {
  exchange.deps.logger.error(
    { request_id: exchange.requestId, route: exchange.route, code: error.code, err: error.cause ?? error },
    'request failed',
  );
}
