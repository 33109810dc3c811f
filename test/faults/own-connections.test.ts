import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { ownConnections } from './own-connections.ts';

// Found by `torture --only idempotency-races --size 200 --seed 1065985108` and `--only cancel-races --size 2000 --seed 730557088`.
it('sends no request on a connection that the gateway may close at that moment', async () => {
  const server = createServer((_request, response) => response.end('fine'));
  // Less than the margin: each connection is as good as closed when its answer has come.
  server.keepAliveTimeout = 4_000;
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dispatcher = ownConnections();
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    for (let request = 0; request < 3; request += 1) {
      const { body } = await dispatcher.request({ origin, path: '/', method: 'GET' });
      expect(await body.text()).toBe('fine');
    }
    expect(connections).toBe(3);
  } finally {
    await dispatcher.close();
    server.close();
  }
});
