import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveCommands } from './commands.ts';

/** The baselines of P4 and P5: node:http alone, one shared frame per event for all subscribers, or one ready page. */
const subscribers = new Set<ServerResponse>();
let page = Buffer.alloc(0);

const server = createServer((request, response) => {
  if (request.url === '/page') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length }).end(page);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
  subscribers.add(response);
  response.on('close', () => subscribers.delete(response));
});

/** One event per turn of the event loop, as they come when each is a commit of its own. */
async function publish(sizes: readonly number[]): Promise<void> {
  for (const size of sizes) {
    const frame = Buffer.alloc(size, 'f');
    for (const response of subscribers) response.write(frame);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const commands = {
    publish,
    page: (bytes: number) => {
      page = Buffer.alloc(bytes, 'p');
    },
  };
  serveCommands({ url }, commands, async () => server.closeAllConnections());
});
