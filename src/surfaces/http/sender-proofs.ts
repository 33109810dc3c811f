import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { SenderProof } from '#protocol/sender-proof.ts';
import type { TransportSecurity } from './request-checks.ts';

/** Collects what requests show for access tokens that are bound to a key or a certificate. It believes nothing. */
export class SenderProofs {
  readonly #transport: Pick<TransportSecurity, 'isSecure'>;
  readonly #publicUrl: () => string;
  /** A connection has one certificate, whatever it is asked for. */
  readonly #certificates = new WeakMap<Socket, string | undefined>();

  constructor(transport: Pick<TransportSecurity, 'isSecure'>, publicUrl: () => string) {
    this.#transport = transport;
    this.#publicUrl = publicUrl;
  }

  /** Undefined when the request shows nothing, as nearly all do. Its `Host` has to be checked before. */
  of(req: IncomingMessage): SenderProof | undefined {
    const { dpop } = req.headers;
    const certificateSha256 = this.#certificateOf(req.socket);
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

  /** The handshake proved that the client holds its key; nobody has to have signed it (RFC 8705, section 2.2). */
  #certificateOf(socket: Socket): string | undefined {
    if (!(socket instanceof TLSSocket)) return undefined;
    if (this.#certificates.has(socket)) return this.#certificates.get(socket);
    const certificate = socket.getPeerX509Certificate();
    const hash = certificate && createHash('sha256').update(certificate.raw).digest('base64url');
    this.#certificates.set(socket, hash);
    return hash;
  }
}
