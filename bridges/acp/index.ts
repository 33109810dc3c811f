import type { Bridge } from '../bridge.ts';
import { createAcpFace } from './face/face.ts';
import type { AcpUpstreamConfig } from './upstream/config.ts';
import { interpret } from './upstream/interpret.ts';
import { AcpUpstream } from './upstream/upstream.ts';

export type { AcpUpstreamConfig } from './upstream/config.ts';

/** Agents that speak the Agent Client Protocol v1, spawned or behind a WebSocket. */
export const acpBridge: Bridge<AcpUpstreamConfig> = {
  id: 'acp',
  interpret,
  createFace: createAcpFace,
  createUpstreams: (rows, deps) => rows.map((row) => new AcpUpstream(row, deps)),
};
