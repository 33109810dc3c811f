import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createHttpClient, readText } from '../../../../bridges/wire/http-client.ts';

/** How many connections three requests, one behind the other, take with a server that keeps idle ones so long. */
async function connectionsOf(keepAliveMs: number): Promise<number> {
  const server = createServer((_request, response) => response.end('fine'));
  server.keepAliveTimeout = keepAliveMs;
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = createHttpClient({
    timers: globalThis,
    connectTimeoutMs: 10_000,
    connections: { turn: 4, control: 4 },
    linger: { ms: 1_000, bytes: 1_000 },
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const { signal } = new AbortController();
  try {
    for (let request = 0; request < 3; request += 1) {
      const reply = await client.request({ method: 'POST', url, headers: {}, signal, lane: 'turn' });
      expect(await readText(reply.body, 1_000)).toBe('fine');
      reply.release('done');
    }
    return connections;
  } finally {
    await client.close();
    server.close();
  }
}

it('sends nothing on an idle connection that its server may close at that moment, and keeps others', async () => {
  expect(await connectionsOf(4_000)).toBe(3);
  // One is not free yet when the next request comes, now and then.
  expect(await connectionsOf(60_000)).toBeLessThan(3);
});
