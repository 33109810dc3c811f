// HEALTHCHECK of the image: exit code 0 when the gateway of this container answers GET /health with 200, else 1.
// Over TLS only the answer counts: the certificate names the public host, not 127.0.0.1.
import http from 'node:http';
import https from 'node:https';

const TIMEOUT_MS = 4_000;

function isAlive(client, options) {
  return new Promise((resolve) => {
    const request = client.get({
      host: '127.0.0.1',
      port: process.env.HARN_GATEWAY_PORT,
      path: '/health',
      timeout: TIMEOUT_MS,
      ...options,
    });
    request.once('response', (response) => resolve(response.statusCode === 200));
    request.once('timeout', () => request.destroy());
    request.once('close', () => resolve(false));
    // The close that follows an error is the answer; why it failed stands in the log of the gateway.
    request.once('error', () => request.destroy());
  });
}

const alive = (await isAlive(http, {})) || (await isAlive(https, { rejectUnauthorized: false }));
process.exit(alive ? 0 : 1);
