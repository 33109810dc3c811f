import type { Bridge } from '../bridge.ts';
import { McpFace } from './surface/face.ts';
import type { McpUpstreamConfig } from './upstream/config.ts';
import { interpret } from './upstream/interpret.ts';
import { McpUpstream } from './upstream/upstream.ts';

export type { McpUpstreamConfig } from './upstream/config.ts';

/** Servers of tools that speak MCP over their standard streams or over Streamable HTTP. */
export const mcpBridge: Bridge<McpUpstreamConfig> = {
  id: 'mcp',
  interpret,
  createFace: (deps) => new McpFace(deps),
  createUpstreams: (rows, deps) => rows.map((row) => new McpUpstream(row, deps)),
};
