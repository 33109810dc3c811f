import { objectOf } from '#protocol/json-shape.ts';
import { MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import { detailsOfEnd } from '../../wire/child.ts';
import { credentialFault, Fault, NOT_RUN, type TransportFault, transportFault } from '../../wire/faults.ts';
import { RpcError } from '../../wire/json-rpc.ts';
import { ChildTransport } from './child-transport.ts';

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

/** Why no connection came up; `transport`: the wire that was tried, before it is closed. */
export function startFault(transport: unknown): Fault {
  const end = transport instanceof ChildTransport ? transport.end : undefined;
  if (end === undefined) return NOT_STARTED;
  const details = { ...NOT_STARTED.details, ...detailsOfEnd(end) };
  return new Fault('upstream_unavailable', `The server could not be started: ${end.why}.`, details);
}

export const SLOW_START = new Fault('deadline_exceeded', 'The server did not finish its start in time.', {
  reason: 'start',
});

/** What an HTTP status other than success means. */
export function httpFault(status: number | undefined): Fault {
  const refused = credentialFault(status, 'server');
  if (refused !== undefined) return refused;
  return new Fault('upstream_unavailable', 'The server answered with an HTTP error.', {
    reason: 'http_status',
    ...(status === undefined ? {} : { http_status: status }),
  });
}

/** What a client hears of a request that failed: an error of the server as it came, a Fault with its facts. */
export function rpcErrorOf(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const code = MCP_ERRORS.internal_error;
  if (!(error instanceof Fault)) return new RpcError(code, 'The request failed.');
  return new RpcError(code, error.message, { harn: { code: error.code, details: error.details } });
}

/** The error that stands in what a server sent; `otherwise` is said where there is none. */
export function rpcErrorIn(value: unknown, otherwise: string): RpcError {
  const { code, message, data } = objectOf(value);
  const isKnown = typeof code === 'number' && typeof message === 'string';
  return isKnown ? new RpcError(code, message, data) : new RpcError(MCP_ERRORS.internal_error, otherwise);
}
