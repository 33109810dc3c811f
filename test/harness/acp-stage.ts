import type { Upstream } from '#upstream.ts';
import { type AcpUpstreamConfig, acpBridge } from '../../bridges/acp/index.ts';
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
  config: Partial<AcpUpstreamConfig> = {},
  deps: Partial<BridgeDeps> = {},
): Upstream {
  const row = { id: 'peer', command: acpAgentCommand(...flags), ...config };
  const [upstream] = acpBridge.createUpstreams([row], bridgeDeps(deps));
  if (upstream === undefined) throw new Error('The bridge made no upstream.');
  return upstream;
}
