import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { CredentialOfCall, Gateway } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Clock } from '#protocol/ports.ts';
import type { SenderProof } from '#protocol/sender-proof.ts';
import { RELAYED_FOR, type RelayedClients, type Sender } from './relayed-clients.ts';

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

/**
 * Decides which `Host` values are ours. A name that is not listed may be an attacker's name that was re-bound to our
 * address (DNS rebinding). Always ours: the address and port connected to, and `localhost` with that port.
 */
export class HostAllowList {
  readonly #names: Set<string>;
  /** The last value that a connection sent and that is ours: it sends the same one again. */
  readonly #accepted = new WeakMap<Socket, string>();

  /** `names` are host names with a port where it is not the usual one; `publicUrl` adds its own. */
  constructor(names: readonly string[], publicUrl?: string) {
    this.#names = new Set(names.map((name) => name.toLowerCase()));
    if (publicUrl !== undefined) this.#names.add(new URL(publicUrl).host);
  }

  /** Another name of the gateway, with its port. */
  add(name: string): void {
    this.#names.add(withoutUsualPort(name.toLowerCase()));
  }

  /** Throws `invalid_request` with param `Host` for a host that is not ours. */
  check(host: string | undefined, socket: Socket): void {
    if (host !== undefined && this.#accepts(host, socket)) return;
    const message =
      'This Host is none of the gateway. Use the address that it listens on, or let its operator add the name to server.allowed_hosts.';
    throw new ProtocolError('invalid_request', message, { param: 'Host' });
  }

  /** Whether any node with the same configuration takes this host. */
  isNamed(host: string | undefined): boolean {
    return host !== undefined && this.#names.has(withoutUsualPort(host.toLowerCase()));
  }

  #accepts(host: string, socket: Socket): boolean {
    if (this.#names.has(host) || this.#accepted.get(socket) === host) return true;
    const isListed = this.#isListed(host.toLowerCase(), socket);
    if (isListed) this.#accepted.set(socket, host);
    return isListed;
  }

  #isListed(host: string, socket: Socket): boolean {
    const port = socket.localPort ?? 0;
    if (this.#names.has(withoutUsualPort(host))) return true;
    return ownNames(socket).some(
      (name) => host === `${name}:${port}` || (isUsualPort(port) && host === name),
    );
  }
}

function ownNames(socket: Socket): string[] {
  const address = (socket.localAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  return ['localhost', '127.0.0.1', '[::1]', address.includes(':') ? `[${address}]` : address];
}

function isUsualPort(port: number): boolean {
  return port === 80 || port === 443;
}

function withoutUsualPort(host: string): string {
  return host.replace(/:(80|443)$/, '');
}

/** Whether a request came over TLS, ended here or at a proxy the operator named. */
export class TransportSecurity {
  readonly #proxies = new BlockList();
  readonly #loopback = new BlockList();
  readonly #required: boolean;
  /** Whether a connection comes from this machine; its address does not change. */
  readonly #isLocal = new WeakMap<Socket, boolean>();

  /** `trustedProxies` are addresses or ranges; `required` refuses plain HTTP from anywhere but loopback. */
  constructor(trustedProxies: readonly string[], required: boolean) {
    this.#required = required;
    for (const range of trustedProxies) addRange(this.#proxies, range);
    addRange(this.#loopback, '127.0.0.0/8');
    addRange(this.#loopback, '::1');
  }

  /** `X-Forwarded-Proto` counts only from a trusted proxy; anybody else may write it. */
  isSecure(req: Sender): boolean {
    if ((req.socket as Partial<TLSSocket>).encrypted === true) return true;
    const proto = req.headers['x-forwarded-proto'];
    return proto === 'https' && matches(this.#proxies, req.socket.remoteAddress);
  }

  /** Throws `invalid_request` for plain HTTP where TLS is required. */
  check(req: IncomingMessage): void {
    if (!this.#required || this.#comesFromHere(req.socket) || this.isSecure(req)) return;
    throw new ProtocolError('invalid_request', 'Use HTTPS.', { param: 'scheme' });
  }

  #comesFromHere(socket: Socket): boolean {
    const known = this.#isLocal.get(socket);
    if (known !== undefined) return known;
    const isLocal = matches(this.#loopback, socket.remoteAddress);
    // A connection that was cut has no address any more.
    if (socket.remoteAddress !== undefined) this.#isLocal.set(socket, isLocal);
    return isLocal;
  }
}

function addRange(list: BlockList, range: string): void {
  const [address = '', prefix] = range.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (prefix === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(prefix), family);
}

/** A dual-stack socket shows IPv4 peers as `::ffff:a.b.c.d`. */
function matches(list: BlockList, remoteAddress: string | undefined): boolean {
  if (remoteAddress === undefined) return false;
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Collects what requests show for access tokens that are bound to a key or a certificate. It believes nothing. */
export class SenderProofs {
  readonly #transport: Pick<TransportSecurity, 'isSecure'>;
  readonly #publicUrl: () => string;
  readonly #clients: Pick<RelayedClients, 'certificateOf'>;

  constructor(
    transport: Pick<TransportSecurity, 'isSecure'>,
    publicUrl: () => string,
    clients: Pick<RelayedClients, 'certificateOf'>,
  ) {
    this.#transport = transport;
    this.#publicUrl = publicUrl;
    this.#clients = clients;
  }

  /** Undefined when the request shows nothing, as nearly all do. Its `Host` has to be checked before. */
  of(req: IncomingMessage): SenderProof | undefined {
    const { dpop } = req.headers;
    // Nearly all have shown none, and pay for nothing.
    const mayHaveShown = req.socket instanceof TLSSocket || req.headers[RELAYED_FOR] !== undefined;
    const certificateSha256 = mayHaveShown ? this.certificateOf(req) : undefined;
    if (dpop === undefined && certificateSha256 === undefined) return undefined;
    const scheme = this.#transport.isSecure(req) ? 'https' : 'http';
    const [path = ''] = (req.url ?? '').split('?', 1);
    return {
      // Node joins headers that came twice; that is no JWT, and so refused.
      dpop: typeof dpop === 'string' ? dpop : dpop?.join(),
      method: req.method ?? '',
      urls: [`${scheme}://${req.headers.host}${path}`, `${this.#publicUrl()}${path}`],
      certificateSha256,
    };
  }

  /** Of the certificate of a client the SHA-256, base64url; undefined where it showed none. */
  certificateOf(sender: Sender): string | undefined {
    return this.#clients.certificateOf(sender);
  }
}

const WINDOW_MS = 60_000;
/** Addresses kept at a time; a flood from more of them costs no more memory. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  count: number;
  /** Monotonic milliseconds. */
  since: number;
}

interface FailedLoginsDeps {
  clock: Clock;
  /** Answers 401 to one address in a minute, before the next ones are 429. */
  limit: number;
  knows: Gateway['knows'];
  clients: Pick<RelayedClients, 'addressOf'>;
}

/**
 * Slows down whoever tries credentials: an address that was refused too often in a minute has to wait, for as long as
 * what it sends is no good credential. Good ones from the same address pass, and no credential at all is no try.
 */
export class FailedLogins {
  readonly #deps: FailedLoginsDeps;
  readonly #failures = new LRUCache<string, Failures>({ max: MAX_ADDRESSES });

  constructor(deps: FailedLoginsDeps) {
    this.#deps = deps;
  }

  /** Throws `rate_limited` for one more bad credential of an address that was refused too often. */
  check(sender: Sender, credential: CredentialOfCall): void {
    if (credential.authorization === undefined || this.#failures.size === 0) return;
    const failures = this.#failures.get(this.#deps.clients.addressOf(sender));
    if (failures === undefined || failures.count < this.#deps.limit) return;
    const waitMs = failures.since + WINDOW_MS - this.#deps.clock.monotonic();
    if (waitMs <= 0 || this.#deps.knows(credential)) return;
    const message = 'Too many bad credentials came from your address. Wait, and send a valid key.';
    throw new ProtocolError('rate_limited', message, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }

  /** A request of this address was answered with 401. */
  failed(sender: Sender): void {
    const { headers } = sender;
    if (headers.authorization === undefined && headers['sec-websocket-protocol'] === undefined) return;
    const address = this.#deps.clients.addressOf(sender);
    const now = this.#deps.clock.monotonic();
    const before = this.#failures.get(address);
    const isOver = before === undefined || before.since + WINDOW_MS <= now;
    this.#failures.set(address, isOver ? { count: 1, since: now } : { ...before, count: before.count + 1 });
  }
}
