import type { Face, FaceDeps } from '../../../src/face.ts';
import { AgentConnection } from './agent-connection.ts';

/** `/acp`: a WebSocket on which the gateway is an agent of ACP v1, one JSON-RPC message per text frame. */
export function createAcpFace(deps: FaceDeps): Face {
  return {
    routes: [],
    sockets: [
      {
        path: '/acp',
        operation: 'openWebSocket',
        subprotocols: ['acp.v1', 'harn.v1'],
        // A prompt holds files as base64; they become artifacts, which have a limit of their own.
        maxMessageBytes: Math.max(deps.limits.maxBodyBytes, MIN_MESSAGE_BYTES),
        open: (connection) => new AgentConnection(deps, connection),
      },
    ],
  };
}

const MIN_MESSAGE_BYTES = 16 * 1024 * 1024;
