import type { JsonObject } from '#protocol/json.ts';
import type { FaultCode } from '#protocol-client.ts';
import {
  credentialFault,
  Fault,
  retryAfterOf,
  TRANSPORT_MESSAGES,
  type TransportFault,
  transportFault,
} from '../../wire/faults.ts';

/** A refused or broken connection heals; a wrong name or certificate does not. */
const HEALS: Record<TransportFault, boolean> = {
  refused: true,
  unknown_host: false,
  unreachable: true,
  tls: false,
  connect_timeout: true,
  lost: true,
  protocol: false,
};

/** The fault of whatever was thrown: a Fault stays itself, anything else came from the transport. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const reason = transportFault(error);
  const code: FaultCode = reason === 'connect_timeout' ? 'deadline_exceeded' : 'upstream_unavailable';
  const details: JsonObject = reason === 'connect_timeout' ? { reason, timeout: 'connect' } : { reason };
  return new Fault(code, TRANSPORT_MESSAGES[reason], details, HEALS[reason]);
}

/** The fault of an HTTP status that came without an A2A error. Proxies before the agent give such ones, too. */
export function faultOfStatus(status: number, header: (name: string) => string | undefined): Fault {
  const refused = credentialFault(status, 'agent');
  if (refused !== undefined) return refused;
  const details: JsonObject = { reason: 'http_status', http_status: status };
  if (status === 413) return new Fault('rejected', 'The agent finds the message too large.', details);
  if (status === 408 || status === 504) {
    return new Fault('deadline_exceeded', 'The agent reports a timeout of its own.', details, true);
  }
  return new Fault(
    'upstream_unavailable',
    `The agent answered with HTTP ${status}.`,
    { ...details, ...retryAfterOf(header('retry-after')) },
    status === 429 || status >= 500,
  );
}
