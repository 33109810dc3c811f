import type { JsonObject } from '#protocol/json.ts';
import { Fault } from '../../wire/faults.ts';
import { type TransportFault, transportFault } from '../../wire/transport-error.ts';

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

/** The request did not reach the tool, so it may be sent again. */
const NOT_RUN = { outcome: 'not_run' };

export const SESSION_LOST = new Fault('upstream_unavailable', 'The server has forgotten the session.', {
  reason: 'session_lost',
  ...NOT_RUN,
});

export const NOT_REACHED = new Fault('upstream_unavailable', 'The server cannot be reached.', {
  reason: 'not_reached',
  ...NOT_RUN,
});

/** Whether a request that failed so is known not to have reached the tool. */
export function isNotRun(error: unknown): boolean {
  return error instanceof Fault && error.details['outcome'] === NOT_RUN.outcome;
}

/** Whether an error says that the server is not there for the moment, and that nothing ran. */
export function isAway(error: unknown): boolean {
  return (
    isNotRun(error) || (error instanceof Fault && error.details['reason'] === NOT_STARTED.details['reason'])
  );
}

/**
 * A request for which no connection came up, or that was answered by whoever stands before a server that is not there.
 * `status` is that of the answer, where there was one.
 */
export function neverArrived(error: unknown, status?: number): boolean {
  if (status === 503) return true;
  const causes = [error, error instanceof Error ? error.cause : undefined];
  return causes.some((cause) => NEVER_SENT.includes(transportFault(cause)));
}

const NEVER_SENT: readonly TransportFault[] = [
  'refused',
  'unknown_host',
  'unreachable',
  'connect_timeout',
  'tls',
];

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
