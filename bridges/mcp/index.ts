import { aboutOfAsked } from '../../mappings/mcp/asked-about.ts';
import type { Bridge } from '../bridge.ts';
import { McpClient } from './client/client.ts';
import type { McpClientConfig } from './client/config.ts';
import { interpret } from './client/interpret.ts';
import { McpServer } from './server/server.ts';

export type { McpClientConfig } from './client/config.ts';

/** Servers of tools that speak MCP over their standard streams or over Streamable HTTP. */
export const mcpBridge: Bridge<McpClientConfig> = {
  id: 'mcp',
  interpret,
  askedAbout: aboutOfAsked,
  createServer: (deps) => new McpServer(deps),
  createClients: (rows, deps) => rows.map((row) => new McpClient(row, deps)),
};
