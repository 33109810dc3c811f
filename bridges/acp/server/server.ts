import type { ProtocolServer, ServerDeps } from '#protocol-server.ts';
import { AgentConnection } from './connection.ts';
import { maxMessageBytes } from './conversation.ts';
import { Tunnels } from './tunnels.ts';
import { RoutedConnection } from './v2/routed-connection.ts';

/**
 * `/acp`: a WebSocket on which the gateway is an agent of ACP v1, and of the draft v2 where the operator offers it, one
 * JSON-RPC message per text frame. `/acp/mcp/{tunnel}`: MCP
 * servers of its clients, for agents behind the gateway.
 */
export function createAcpServer(deps: ServerDeps): ProtocolServer {
  const tunnels = new Tunnels(deps);
  const Served = deps.drafts.includes('acp-v2') ? RoutedConnection : AgentConnection;
  return {
    routes: tunnels.routes,
    sockets: [
      {
        path: '/acp',
        operation: 'openWebSocket',
        subprotocols: ['acp.v1', 'harn.v1'],
        maxMessageBytes: maxMessageBytes(deps),
        open: (connection) => new Served(deps, connection, tunnels),
      },
    ],
  };
}
