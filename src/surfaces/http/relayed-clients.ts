import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Random } from '#protocol/ports.ts';

/**
 * By which a node of a log says to another one, or to its own gateway, from which address a request came, and which certificate its client
 * has shown.
 */
export const RELAYED_FOR = 'harn-relayed-for';

const SECRET_BYTES = 32;

/** Another one each time; base64url. */
export const newRelaySecret = (random: Random): string =>
  Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');

/** What tells one sender from another. */
export interface Sender {
  socket: { remoteAddress?: string | undefined };
  headers: IncomingHttpHeaders;
  /** Of the certificate that the client has shown, base64url. Default: that of a socket of TLS. */
  certificateSha256?: string | undefined;
}

/** Who sent a request to the first node that took it. */
interface Origin {
  address: string;
  /** Base64url; undefined where no certificate was shown. */
  certificateSha256: string | undefined;
}

/** A SHA-256 in base64url. */
const THUMBPRINT = /^[\w-]{43}$/;

/** Where requests come from that may have come through nodes of the same log, which share a secret. */
export class RelayedClients {
  readonly #secret: () => string | undefined;
  /** A connection has one certificate, whatever it is asked for. */
  readonly #certificates = new WeakMap<TLSSocket, string | undefined>();

  /** @param secret undefined while it is not known, or where no node hands anything on: then nobody is believed */
  constructor(secret: () => string | undefined) {
    this.#secret = secret;
  }

  /** The address of the connection, or the one that a node says that hands the request on. */
  addressOf(sender: Sender): string {
    return this.#saidOf(sender)?.address ?? addressOf(sender);
  }

  /** The same of the certificate. The handshake proved that the client holds its key; nobody has to have signed it (RFC 8705, section 2.2). */
  certificateOf(sender: Sender): string | undefined {
    const said = this.#saidOf(sender);
    return said === undefined ? this.#shownBy(sender) : said.certificateSha256;
  }

  /** What is said of a request to the node that it is handed on to; undefined where there is nothing to say. */
  headerFor(sender: Sender): string | undefined {
    const secret = this.#secret();
    if (secret === undefined) return undefined;
    const certificate = this.certificateOf(sender);
    return [secret, this.addressOf(sender), ...(certificate === undefined ? [] : [certificate])].join(' ');
  }

  /** Undefined where no node of the log says anything. */
  #saidOf({ headers }: Sender): Origin | undefined {
    const said = headers[RELAYED_FOR];
    const secret = this.#secret();
    if (typeof said !== 'string' || secret === undefined) return undefined;
    const [shown = '', address = '', certificate = ''] = said.split(' ');
    if (isIP(address) === 0 || !isEqual(shown, secret)) return undefined;
    return { address, certificateSha256: THUMBPRINT.test(certificate) ? certificate : undefined };
  }

  #shownBy({ socket, certificateSha256 }: Sender): string | undefined {
    if (certificateSha256 !== undefined || !(socket instanceof TLSSocket)) return certificateSha256;
    if (this.#certificates.has(socket)) return this.#certificates.get(socket);
    const hash = thumbprintOf(socket.getPeerX509Certificate());
    this.#certificates.set(socket, hash);
    return hash;
  }
}

const addressOf = ({ socket }: Sender): string => socket.remoteAddress ?? '';

/** SHA-256 of a certificate in DER, base64url. Spec: RFC 8705, section 3.1. */
export function thumbprintOf(certificate: { raw: Uint8Array } | undefined): string | undefined {
  return certificate && createHash('sha256').update(certificate.raw).digest('base64url');
}

function isEqual(shown: string, secret: string): boolean {
  const [one, other] = [Buffer.from(shown), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
