import type { Bridge } from '../bridge.ts';
import { AcpUpstream } from './client/client.ts';
import type { AcpUpstreamConfig } from './client/config.ts';
import { interpret } from './client/interpret.ts';
import { createAcpFace } from './server/server.ts';

export type { AcpUpstreamConfig } from './client/config.ts';

/** Agents that speak the Agent Client Protocol v1, spawned or behind a WebSocket. */
export const acpBridge: Bridge<AcpUpstreamConfig> = {
  id: 'acp',
  interpret,
  createFace: createAcpFace,
  createUpstreams: (rows, deps) => rows.map((row) => new AcpUpstream(row, deps)),
};
