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
}

/** For which a node that leaves others behind still takes calls, and says with each answer that its connection closes. */
export const LEAVING_MS = 1_000;

/** A server that listens, whose requests somebody takes until `leave` is called. */
export interface OpenDoor {
  readonly server: Server;
  leave(): void;
}

/** Time between looks at slow connections; Node's 30 s would let a 10 s limit mean 40 s. */
const CHECK_INTERVAL_MS = 1_000;

/** A server with bounds for slow and large requests; `tls` is absent for plain HTTP. */
export function openServer({ limits, tls }: { limits: HttpLimits; tls?: TlsSettings }): Server {
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
    tls === undefined ? createServer(options) : createTlsServer({ ...options, ...tlsOptions(tls) });
  server.maxHeadersCount = limits.maxHeaders;
  server.maxRequestsPerSocket = limits.maxRequestsPerConnection;
  server.maxConnections = limits.maxConnections;
  return server;
}

/** Takes what comes to a server, and answers every refusal with the error envelope. */
export function takeRequests(server: Server, deps: HttpServerDeps): void {
  server.on('request', deps.listener);
  // The continue line is sent when the body is wanted, so a refused body is never sent at all.
  server.on('checkContinue', deps.listener);
  server.on('checkExpectation', deps.listener);
  server.on('clientError', (error, socket) => answerParseFailure(deps, error, socket));
  server.on('connect', (_req, socket) =>
    writeRefusal(deps, new ProtocolError('resource_not_found', 'The gateway is no forward proxy.'), socket),
  );
}

/** Who signed a certificate does not matter: an access token names the very one (RFC 8705, section 3). */
function tlsOptions({ cert, key, requestsCertificate = false }: TlsSettings): TlsOptions {
  return { cert, key, ...(requestsCertificate ? { requestCert: true, rejectUnauthorized: false } : {}) };
}

/** Listens and returns where; rejects with the system error (`EADDRINUSE`, `EACCES`). */
export async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  if (server.listening) return addressOf(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return addressOf(server);
}

/** Where a server is found on this machine that listens so. */
export function urlOf(host: string, { port }: AddressInfo, isTls: boolean): string {
  return `${isTls ? 'https' : 'http'}://${urlHost(host)}:${port}`;
}

/** A wildcard address is no address for clients. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('The server does not listen on a TCP port.');
  return address;
}
