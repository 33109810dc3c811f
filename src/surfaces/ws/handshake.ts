import type { IncomingMessage } from 'node:http';
import { ProtocolError } from '#protocol/errors.ts';
import { VERSION_HEADER, VERSIONS } from '#protocol/versions.ts';
import { WS_BEARER_PREFIX } from './frames.ts';

/** Who opens a socket and in which version, as the request says it. See README.md, Opening. */
export interface Credentials {
  authorization: string | undefined;
  protocolVersion: string | undefined;
}

const VERSION_HEADER_NAME = VERSION_HEADER.toLowerCase();
/** Version ids by the subprotocols that stand for them. */
const VERSION_OF: ReadonlyMap<string, string> = new Map(
  [...VERSIONS.values()].map(({ id, subprotocol }) => [subprotocol, id]),
);
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const KEY = /^[+/0-9A-Za-z]{22}==$/;
/** Names under which clients put credentials into URLs, where logs and histories keep them. */
const CREDENTIAL_NAMES = /^(?:access_?token|auth|authorization|api_?key|bearer|jwt|key|token)$/i;

/**
 * Pages elsewhere may not open sockets; browsers always say where a page is from. Clients that are no browser do not. Pages of the
 * gateway itself may: its name was checked before.
 */
export function checkOrigin(req: IncomingMessage, allowed: ReadonlySet<string>, isSecure: boolean): void {
  const { origin, host } = req.headers;
  if (origin === undefined || allowed.has(origin) || origin === `${isSecure ? 'https' : 'http'}://${host}`)
    return;
  throw new ProtocolError(
    'permission_denied',
    'Ask the operator to list this origin in server.allowed_origins.',
    { param: 'Origin' },
  );
}

/** The credential and the version, from headers or from the offered subprotocols. */
export function readCredentials({ headers }: Pick<IncomingMessage, 'headers'>): Credentials {
  const offered = offeredProtocols(headers['sec-websocket-protocol']);
  const tokens = offered.filter((name) => name.startsWith(WS_BEARER_PREFIX));
  const [token] = tokens;
  if (tokens.length > 1 || (token !== undefined && headers.authorization !== undefined))
    throw invalid(
      'Send one credential: the Authorization header or one bearer subprotocol.',
      'Authorization',
    );
  const version = headers[VERSION_HEADER_NAME];
  return {
    authorization:
      token === undefined ? headers.authorization : `Bearer ${token.slice(WS_BEARER_PREFIX.length)}`,
    protocolVersion: typeof version === 'string' ? version : VERSION_OF.get(chooseSubprotocol(offered) || ''),
  };
}

/**
 * The subprotocol that the gateway selects: of those that stand for a version the one that the client likes best, so that it
 * knows by the answer which version it got. False when it offers none; the one that carries a credential is never echoed.
 */
export function chooseSubprotocol(offered: Iterable<string>): string | false {
  for (const name of offered) if (VERSION_OF.has(name)) return name;
  return false;
}

/** What has to be right for the upgrade itself (RFC 6455, 4.2.1). */
export function checkHandshake({ headers, method }: IncomingMessage): void {
  if (method !== 'GET') throw invalid('Open a WebSocket with GET.', 'method');
  if (headers['sec-websocket-version'] !== '13')
    throw invalid('Send Sec-WebSocket-Version: 13.', 'Sec-WebSocket-Version');
  if (!KEY.test(headers['sec-websocket-key'] ?? ''))
    throw invalid('Send a Sec-WebSocket-Key of 16 random bytes in base64.', 'Sec-WebSocket-Key');
}

/** A credential in the URL is refused even beside a good one: it has leaked already. */
export function refuseQueryCredentials(target: string): void {
  const query = target.split('?', 2)[1] ?? '';
  for (const name of new URLSearchParams(query).keys()) {
    if (CREDENTIAL_NAMES.test(name))
      throw invalid(
        'Never put a credential into a URL: send it as header or subprotocol, and replace it.',
        name,
      );
  }
}

function offeredProtocols(header: string | undefined): string[] {
  if (header === undefined) return [];
  const names = header.split(',').map((name) => name.trim());
  if (names.every((name) => TOKEN.test(name)) && new Set(names).size === names.length) return names;
  throw invalid('Offer subprotocols as different tokens, separated by commas.', 'Sec-WebSocket-Protocol');
}

function invalid(message: string, param: string): ProtocolError {
  return new ProtocolError('invalid_request', message, { param });
}
