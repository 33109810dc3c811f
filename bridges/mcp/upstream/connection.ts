import type { JsonObject } from '../../../src/protocol/json.ts';
import { Fault } from '../../outbound/fault.ts';

/** What a server says and asks on a connection. */
export interface ServerPeer {
  /** A request of the server; the result goes back. Rejects with an RpcError to refuse. */
  asked(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** A notification of the server. */
  told(method: string, params: JsonObject): void;
}

export interface CallOptions {
  signal: AbortSignal;
  /** Longest wait without a sign of life, and in all. */
  idleTimeoutMs: number;
  totalTimeoutMs: number;
  onProgress?(params: JsonObject): void;
  /** Schema of the arguments of the tool that is called: some of them are told in headers too. */
  inputSchema?: JsonObject;
}

/** One connection to a server, whichever revision is spoken on it. */
export interface Connection {
  /** Revision 2026-07-28 or later: what the server wants of its caller stands in results, and no Session is shared. */
  readonly isStateless: boolean;
  /** Set when the connection is over; nothing can be asked on it any more. */
  readonly isClosed: boolean;
  readonly closed: Promise<void>;
  readonly server: { name: string; version: string; instructions?: string };
  readonly capabilities: JsonObject;
  /** Sends a request; the result is as it came. Rejects with RpcError, or with Fault when the connection fails. */
  request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject>;
  /** From here on the peer is told of changes of these resources, and of no others. Rejects as requests do. */
  watch(resources: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

const OUTCOME_UNKNOWN = { outcome: 'unknown' };

export const TIMED_OUT = new Fault(
  'deadline_exceeded',
  'The server did not answer in time.',
  OUTCOME_UNKNOWN,
);

export const LOST = new Fault('upstream_unavailable', 'The server ended while it was asked.', {
  reason: 'lost',
  ...OUTCOME_UNKNOWN,
});

export const GIVEN_UP = new Fault('upstream_unavailable', 'The call was given up.', { reason: 'aborted' });

export const NOT_STARTED = new Fault('upstream_unavailable', 'The server could not be started or reached.', {
  reason: 'start',
});

export const SLOW_START = new Fault('deadline_exceeded', 'The server did not finish its start in time.', {
  reason: 'start',
});

/** What an HTTP status other than success means. */
export function httpFault(status: number | undefined): Fault {
  if (status === 401 || status === 403)
    return new Fault('auth_required', 'The server does not accept the credential of the gateway.', {
      http_status: status,
    });
  return new Fault('upstream_unavailable', 'The server answered with an HTTP error.', {
    reason: 'http_status',
    ...(status === undefined ? {} : { http_status: status }),
  });
}
