import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { type WebSocket, WebSocketServer } from 'ws';
import { acpTestAgent } from './acp-test-agent.ts';

/** The test agent in this process, behind a WebSocket; each connection has one of its own, as each process would. */
export async function startAcpAgent(...flags: string[]): Promise<{ url: string; close(): Promise<void> }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    const host = { exit: () => socket.terminate(), write: (message: string) => socket.send(message) };
    acpTestAgent(flags, host).connect(streamOf(socket));
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of server.clients) socket.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One message of JSON in each frame. */
function streamOf(socket: WebSocket): Stream {
  return {
    readable: new ReadableStream({
      start(controller) {
        socket.on('message', (data) => controller.enqueue(JSON.parse(String(data)) as AnyMessage));
        socket.once('close', () => controller.close());
      },
    }),
    writable: new WritableStream({
      write: (message) => new Promise((resolve) => socket.send(JSON.stringify(message), () => resolve())),
    }),
  };
}
