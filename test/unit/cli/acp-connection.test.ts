import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { Connection } from '#cli/acp/connection.ts';
import type { Endpoint } from '#cli/acp/endpoint.ts';

it('ends when the editor leaves while the gateway is still looked for, and connects to nothing', async () => {
  let connected = 0;
  const gateway = createServer((socket) => {
    connected += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const { port } = gateway.address() as AddressInfo;
  let found: (endpoint: Endpoint) => void = () => undefined;
  const endpoint = new Promise<Endpoint>((resolve) => {
    found = resolve;
  });
  const connection = new Connection({
    find: () => endpoint,
    opened: () => undefined,
    message: () => undefined,
    lost: () => undefined,
    refused: () => undefined,
  });
  const ended = connection.run();
  connection.close();
  found({ url: `http://127.0.0.1:${port}`, key: 'x' });
  await ended;
  // What was opened meanwhile would have arrived by the next connection.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(connected).toBe(0);
  gateway.close();
});
