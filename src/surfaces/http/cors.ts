import type { IncomingMessage } from 'node:http';
import { ProtocolError } from '#protocol/errors.ts';
import { VERSION_HEADER } from '#protocol/versions.ts';
import { type Exchange, sendEmpty } from './exchange.ts';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
const READABLE = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
  'WWW-Authenticate',
];
const SENDABLE = [
  'Authorization',
  'DPoP',
  'Content-Type',
  'Idempotency-Key',
  VERSION_HEADER,
  'Last-Event-ID',
  'traceparent',
];

/** Which browser pages may call, and which headers they may send and read. */
export class BrowserRules {
  readonly origins: ReadonlySet<string>;
  /** Value of `Access-Control-Expose-Headers`. */
  readonly exposed: string;
  /** Headers of the answer to a preflight. */
  readonly preflight: readonly string[];

  /** `headers` are those of protocols besides the gateway's own. */
  constructor(
    origins: readonly string[],
    headers: readonly { readonly sent: readonly string[]; readonly read: readonly string[] }[] = [],
  ) {
    this.origins = new Set(origins);
    this.exposed = [...READABLE, ...headers.flatMap(({ read }) => read)].join(', ');
    this.preflight = [
      'Access-Control-Allow-Methods',
      'GET, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers',
      [...SENDABLE, ...headers.flatMap(({ sent }) => sent)].join(', '),
      'Access-Control-Max-Age',
      '600',
    ];
  }
}

/**
 * Applies the rules for browser pages. Listed origins may call and read; pages elsewhere cannot read answers and cannot
 * change anything. Credentials are bearer tokens only, so cookies are never allowed and `*` is never sent.
 * Returns true when the request was a preflight and is answered.
 */
export function applyCors(exchange: Exchange, rules: BrowserRules, isSecure: boolean): boolean {
  const { req } = exchange;
  const { origin } = req.headers;
  if (origin === undefined) {
    if (req.headers['sec-fetch-site'] === 'cross-site') refuseChange(req);
    return false;
  }
  if (!rules.origins.has(origin)) {
    if (isPreflight(req)) throw foreign();
    if (origin !== `${isSecure ? 'https' : 'http'}://${req.headers.host}`) refuseChange(req);
    return false;
  }
  exchange.headers.push('Access-Control-Allow-Origin', origin, 'Vary', 'Origin');
  if (!isPreflight(req)) {
    exchange.headers.push('Access-Control-Expose-Headers', rules.exposed);
    return false;
  }
  sendEmpty(exchange, 204, rules.preflight);
  return true;
}

function isPreflight(req: IncomingMessage): boolean {
  return req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;
}

function refuseChange(req: IncomingMessage): void {
  if (!READING.has(req.method ?? '')) throw foreign();
}

function foreign(): ProtocolError {
  return new ProtocolError(
    'permission_denied',
    'Ask the operator to list this origin in server.allowed_origins.',
    {
      param: 'Origin',
    },
  );
}
