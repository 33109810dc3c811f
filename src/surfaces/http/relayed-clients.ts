import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** By which a node of a log says to another one, or to its own gateway, from which address a request came. */
export const RELAYED_FOR = 'harn-relayed-for';

/** What tells one sender from another. */
export interface Sender {
  socket: { remoteAddress?: string | undefined };
  headers: IncomingHttpHeaders;
}

/** Where requests come from that may have come through nodes of the same log, which share a secret. */
export class RelayedClients {
  readonly #secret: () => string | undefined;

  /** @param secret undefined while it is not known, or where no node hands anything on: then nobody is believed */
  constructor(secret: () => string | undefined) {
    this.#secret = secret;
  }

  /** The address of the connection, or the one that a node says that hands the request on. */
  addressOf({ socket, headers }: Sender): string {
    const said = headers[RELAYED_FOR];
    const secret = this.#secret();
    if (typeof said === 'string' && secret !== undefined) {
      const [shown = '', address = ''] = said.split(' ');
      if (isIP(address) !== 0 && isEqual(shown, secret)) return address;
    }
    return socket.remoteAddress ?? '';
  }

  /** What is said of a request to the node that it is handed on to; undefined where there is nothing to say. */
  headerFor(sender: Sender): string | undefined {
    const secret = this.#secret();
    return secret === undefined ? undefined : `${secret} ${this.addressOf(sender)}`;
  }
}

function isEqual(shown: string, secret: string): boolean {
  const [one, other] = [Buffer.from(shown), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
