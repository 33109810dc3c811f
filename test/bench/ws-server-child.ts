import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { serveCommands } from './commands.ts';

/** The WebSocket baseline of P4: `ws` alone, one shared buffer per event for all subscribers. */
const subscribers = new Set<WebSocket>();
const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false });
sockets.on('connection', (socket) => {
  subscribers.add(socket);
  socket.on('close', () => subscribers.delete(socket));
});

/** One event per turn of the event loop, as they come when each is a commit of its own. The sizes are those of frames. */
async function publish(sizes: readonly number[]): Promise<void> {
  for (const size of sizes) {
    const payload = Buffer.alloc(size - 4, 'f');
    for (const socket of subscribers) socket.send(payload, { binary: false });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  serveCommands({ url }, { publish }, async () => {
    for (const socket of subscribers) socket.terminate();
    server.close();
  });
});
