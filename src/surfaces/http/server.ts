import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { ProtocolError } from '#protocol/errors.ts';
import type { HttpLimits } from './limits.ts';
import { answerParseFailure, type ParseFailureDeps, writeRefusal } from './parse-failure.ts';

/** PEM texts, and whether clients are asked for a certificate, which none has to have. */
export interface TlsSettings {
  cert: string;
  key: string;
  requestsCertificate?: boolean;
}

export interface HttpServerDeps extends ParseFailureDeps {
  /** Takes every well-formed request, `Expect` included. */
  listener: RequestListener;
  /** Absent for plain HTTP. */
  tls?: TlsSettings;
  limits: HttpLimits;
}

/** Time between looks at slow connections; Node's 30 s would let a 10 s limit mean 40 s. */
const CHECK_INTERVAL_MS = 1_000;

/** A server with bounds for slow and large requests, that answers every refusal with the error envelope. */
export function createHttpServer(deps: HttpServerDeps): Server {
  const { limits } = deps;
  const options: ServerOptions = {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    insecureHTTPParser: false,
    // A missing Host is refused by the allow-list, with the envelope.
    requireHostHeader: false,
    noDelay: true,
  };
  const server =
    deps.tls === undefined ? createServer(options) : createTlsServer({ ...options, ...tlsOptions(deps.tls) });
  server.maxHeadersCount = limits.maxHeaders;
  server.maxRequestsPerSocket = limits.maxRequestsPerConnection;
  server.maxConnections = limits.maxConnections;
  server.on('request', deps.listener);
  // The continue line is sent when the body is wanted, so a refused body is never sent at all.
  server.on('checkContinue', deps.listener);
  server.on('checkExpectation', deps.listener);
  server.on('clientError', (error, socket) => answerParseFailure(deps, error, socket));
  server.on('connect', (_req, socket) =>
    writeRefusal(deps, new ProtocolError('resource_not_found', 'The gateway is no forward proxy.'), socket),
  );
  return server;
}

/** Who signed a certificate does not matter: an access token names the very one (RFC 8705, section 3). */
function tlsOptions({ cert, key, requestsCertificate = false }: TlsSettings): TlsOptions {
  return { cert, key, ...(requestsCertificate ? { requestCert: true, rejectUnauthorized: false } : {}) };
}

/** Listens and returns where; rejects with the system error (`EADDRINUSE`, `EACCES`). */
export async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('The server does not listen on a TCP port.');
  return address;
}
