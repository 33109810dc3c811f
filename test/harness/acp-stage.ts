import type { ProtocolClient } from '#protocol-client.ts';
import { type AcpClientConfig, acpBridge } from '../../bridges/acp/index.ts';
import type { BridgeDeps } from '../../bridges/bridge.ts';
import { PACKAGE_ROOT } from '../faults/child-processes.ts';
import { bridgeDeps } from './upstream-stage.ts';

/** The command of the test agent, as `upstreams.acp[].command` has it. */
export function acpAgentCommand(...flags: string[]): string[] {
  return [process.execPath, `${PACKAGE_ROOT}dist/test/harness/peers/acp-agent.js`, ...flags];
}

/** The route `acp:peer` over the test agent. */
export function acpUpstream(
  flags: readonly string[] = [],
  config: Partial<AcpClientConfig> = {},
  deps: Partial<BridgeDeps> = {},
): ProtocolClient {
  const row = { id: 'peer', command: acpAgentCommand(...flags), ...config };
  const [upstream] = acpBridge.createClients([row], bridgeDeps(deps));
  if (upstream === undefined) throw new Error('The bridge made no upstream.');
  return upstream;
}
