import { aboutOfAsked } from '../../mappings/acp/asked-about.ts';
import type { Bridge } from '../bridge.ts';
import { AcpClient } from './client/client.ts';
import type { AcpClientConfig } from './client/config.ts';
import { interpret } from './client/interpret.ts';
import { createAcpServer } from './server/server.ts';

export type { AcpClientConfig } from './client/config.ts';

/** Agents that speak the Agent Client Protocol v1, spawned or behind a WebSocket. */
export const acpBridge: Bridge<AcpClientConfig> = {
  id: 'acp',
  interpret,
  askedAbout: aboutOfAsked,
  createServer: createAcpServer,
  createClients: (rows, deps) => rows.map((row) => new AcpClient(row, deps)),
};
