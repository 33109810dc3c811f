import type { BridgeDeps } from '../../bridge.ts';
import type { UpstreamAuth } from './config.ts';
import { Fault } from './fault.ts';

/**
 * The headers that carry the agent's credential, read anew at each use. They go to the card's origin only: interfaces on
 * another origin are refused. Throws Fault when the secret is missing.
 */
export function credentialHeaders(
  auth: UpstreamAuth | undefined,
  readSecret: BridgeDeps['readSecret'],
): Record<string, string> {
  if (auth === undefined) return {};
  const secret = read(auth, readSecret);
  if (auth.type === 'header' && auth.name !== undefined) return { [auth.name.toLowerCase()]: secret };
  return { authorization: `Bearer ${secret}` };
}

function read(auth: UpstreamAuth, readSecret: BridgeDeps['readSecret']): string {
  try {
    return readSecret(auth.value);
  } catch {
    // The reason may name files of the host; the operator finds it with `harn-gateway check`.
    throw new Fault('upstream_unavailable', 'The gateway has no credential for the agent.', {
      reason: 'credential',
    });
  }
}
