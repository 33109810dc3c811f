import type { BridgeDeps, UpstreamAuth } from '../bridge.ts';
import { Fault } from './faults.ts';

/** The headers that carry the credential for an agent or a server, asked for at each use; none without one. Rejects with a Fault. */
export async function credentialHeaders(
  auth: UpstreamAuth | undefined,
  { credential }: Pick<BridgeDeps, 'credential'>,
): Promise<Record<string, string>> {
  if (auth === undefined) return {};
  try {
    return await credential(auth);
  } catch {
    // The reason may name files and addresses of the operator, who finds it in the log and with `harn-gateway check`.
    throw new Fault('upstream_unavailable', 'The gateway has no credential for the agent.', {
      reason: 'credential',
    });
  }
}
