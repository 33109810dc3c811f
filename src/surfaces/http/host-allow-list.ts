import type { Socket } from 'node:net';
import { ProtocolError } from '../../protocol/errors.ts';

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

  /** Throws `invalid_request` with param `Host` for a host that is not ours. */
  check(host: string | undefined, socket: Socket): void {
    if (host !== undefined && this.#accepts(host, socket)) return;
    const message =
      'This Host is none of the gateway. Use the address that it listens on, or let its operator add the name to server.allowed_hosts.';
    throw new ProtocolError('invalid_request', message, { param: 'Host' });
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
