import { a2aBridge } from './a2a/index.ts';
import { acpBridge } from './acp/index.ts';
import { mcpBridge } from './mcp/index.ts';

export { A2A_BINDINGS, offerOf, SERVICE_NAMES } from './a2a/index.ts';

/** The bridges of this gateway: one line each, named as their section under `upstreams`. */
export const bridges = {
  a2a: a2aBridge,
  acp: acpBridge,
  mcp: mcpBridge,
} as const;

export type BridgeId = keyof typeof bridges;
