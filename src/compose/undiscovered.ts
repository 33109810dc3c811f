import type { ProtocolClient } from '#protocol-client.ts';
import type { Readiness } from '#surfaces/discovery/documents.ts';

/** Routes of agents and servers that have not said yet what they offer: their Skills are not known. */
export function undiscovered(upstreams: ReadonlyMap<string, ProtocolClient>): string[] {
  return [...upstreams].filter(([, upstream]) => upstream.describe() === undefined).map(([route]) => route);
}

/**
 * What `/ready` says while some are not known yet: how many, as everybody may read it. The gateway is ready all the same: the
 * others are served, and calls of these are answered with what can be done.
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
