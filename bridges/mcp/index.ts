import type { Bridge } from '../bridge.ts';
import { McpUpstream } from './client/client.ts';
import type { McpUpstreamConfig } from './client/config.ts';
import { interpret } from './client/interpret.ts';
import { McpFace } from './server/server.ts';

export type { McpUpstreamConfig } from './client/config.ts';

/** Servers of tools that speak MCP over their standard streams or over Streamable HTTP. */
export const mcpBridge: Bridge<McpUpstreamConfig> = {
  id: 'mcp',
  interpret,
  createFace: (deps) => new McpFace(deps),
  createUpstreams: (rows, deps) => rows.map((row) => new McpUpstream(row, deps)),
};
