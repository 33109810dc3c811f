import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ProtocolError } from '../../protocol/errors.ts';

/** Tells whether a request came over TLS, ended here or at a proxy the operator named. */
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
  isSecure(req: IncomingMessage): boolean {
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
