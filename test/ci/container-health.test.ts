import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const CHECK = fileURLToPath(new URL('../../config/deploy/container-health.mjs', import.meta.url));

const server = createServer();
afterEach(() => {
  server.removeAllListeners('request').closeAllConnections();
  server.close();
});

/** Port of a server that answers GET /health with `status`, and all else with 404. */
async function serveHealth(status: number): Promise<number> {
  server.on('request', ({ url }, response) => response.writeHead(url === '/health' ? status : 404).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function exitCodeOf(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CHECK], { env: { HARN_GATEWAY_PORT: String(port) } });
    child.once('exit', resolve);
  });
}

describe('the health check of the image', () => {
  it('passes when /health answers 200', async () => {
    expect(await exitCodeOf(await serveHealth(200))).toBe(0);
  });

  it('fails when /health answers anything else', async () => {
    expect(await exitCodeOf(await serveHealth(503))).toBe(1);
  });

  it('fails when nobody answers', async () => {
    const port = await serveHealth(200);
    server.close();
    await once(server, 'close');
    expect(await exitCodeOf(port)).toBe(1);
  });
});
