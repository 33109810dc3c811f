import type { ProtocolClient } from '#protocol-client.ts';
import type { Readiness } from '#surfaces/discovery/documents.ts';

/** Routes of agents and servers that have not said yet what they offer: their Skills are not known. */
export function undiscovered(clients: ReadonlyMap<string, ProtocolClient>): string[] {
  return [...clients].filter(([, client]) => client.describe() === undefined).map(([route]) => route);
}

/**
 * What `/ready` reports while the Skills of some routes are not known: only how many, because everybody may read it. The gateway
 * is ready all the same. Other routes are served; a call of one of these gets an error that says what to do.
 */
export function withUndiscovered(readiness: Readiness, { length: count }: readonly string[]): Readiness {
  if (!readiness.ok || count === 0) return readiness;
  const said = `${count} of the agents and servers behind the gateway ${count === 1 ? 'has' : 'have'} not been reached yet: calls of their Skills are answered with 503. The log names them.`;
  return {
    ...readiness,
    reason: readiness.reason === null ? said : `${readiness.reason} ${said}`,
    details: { ...readiness.details, undiscovered: count },
  };
}
