import type { JsonObject } from '#protocol/json.ts';
import type { FaultCode, Frame } from '#protocol-client.ts';

/** Why a turn or a call cannot go on. The message is public; it never holds a secret or an address. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly details: JsonObject;
  /** The other side itself may be fine: asking it again makes sense. */
  readonly isLost: boolean;

  constructor(code: FaultCode, message: string, details: JsonObject = {}, isLost = false) {
    super(message);
    this.code = code;
    this.details = details;
    this.isLost = isLost;
  }

  toFrame(): Frame {
    const details = Object.keys(this.details).length === 0 ? {} : { details: this.details };
    return { kind: 'fault', code: this.code, message: this.message, ...details };
  }
}

/** The peer got nothing of what was asked of it, so it may be asked again, or another one. */
export const NOT_RUN = { outcome: 'not_run' } as const;

/** The same fault of something that was not sent. */
export function unsent(error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  const { code, message, details, isLost } = error;
  return new Fault(code, message, { ...details, ...NOT_RUN }, isLost);
}

/** Seconds or a date of an answer that says when to come again; only where it says so, and no longer than any of them is. */
export function retryAfterOf(value: unknown): { retry_after?: string } {
  return typeof value === 'string' ? { retry_after: value.slice(0, 64) } : {};
}

/** What an HTTP status says of the credential that was sent; undefined for one that says nothing of it. */
export function credentialFault(status: number | undefined, peer: 'agent' | 'server'): Fault | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const details = { reason: 'http_status', http_status: status };
  return new Fault('auth_required', `The ${peer} does not accept the credential of the gateway.`, details);
}

/** The agent cannot be talked to, or not in its protocol; asking again would not help. */
export function unavailable(reason: string, message: string, details: JsonObject = {}): Fault {
  return new Fault('upstream_unavailable', message, { reason, ...details });
}

export function tooLarge(what: string, maxBytes: number): Fault {
  return new Fault('payload_too_large', `The agent sent ${what} of more than ${maxBytes} bytes.`, {
    max_bytes: maxBytes,
  });
}

export function timedOut(timeout: string, ms: number): Fault {
  return new Fault('deadline_exceeded', `The agent took longer than ${ms} ms (${timeout}).`, { timeout });
}

/** The connection did not come up in time. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
  readonly code = 'CONNECT_TIMEOUT';
}

export type TransportFault =
  | 'refused'
  | 'unknown_host'
  | 'unreachable'
  | 'tls'
  | 'connect_timeout'
  | 'lost'
  | 'protocol';

/** What the network said, by error code. `lost` is the only one after which the peer may have got the request. */
const FAULTS_BY_CODE: Readonly<Record<string, TransportFault>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  EAI_FAIL: 'unknown_host',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  CONNECT_TIMEOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ETIMEDOUT: 'connect_timeout',
  ECONNRESET: 'lost',
  EPIPE: 'lost',
  UND_ERR_SOCKET: 'lost',
  UND_ERR_ABORTED: 'lost',
  UND_ERR_DESTROYED: 'lost',
  UND_ERR_CLOSED: 'lost',
  UND_ERR_HEADERS_OVERFLOW: 'protocol',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'lost',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
  UNABLE_TO_GET_ISSUER_CERT: 'tls',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls',
  CERT_HAS_EXPIRED: 'tls',
  CERT_NOT_YET_VALID: 'tls',
  EPROTO: 'tls',
};

/** Words of the public message. */
export const TRANSPORT_MESSAGES = {
  refused: 'The agent refuses connections.',
  unknown_host: 'The name of the agent does not resolve.',
  unreachable: 'The network of the agent cannot be reached.',
  tls: 'The TLS connection to the agent failed.',
  connect_timeout: 'The connection to the agent did not come up in time.',
  lost: 'The connection to the agent was lost.',
  protocol: 'The agent broke the HTTP protocol.',
} as const satisfies Record<TransportFault, string>;

/** Names what the transport threw; anything unnamed from the HTTP parser is a protocol fault. */
export function transportFault(error: unknown): TransportFault {
  const code = codeOf(error);
  const named = Object.hasOwn(FAULTS_BY_CODE, code) ? FAULTS_BY_CODE[code] : undefined;
  if (named !== undefined) return named;
  return code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') ? 'tls' : 'protocol';
}

/** Several addresses tried in vain come as an AggregateError whose first error says why. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
