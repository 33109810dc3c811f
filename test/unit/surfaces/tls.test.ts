import { get } from 'node:https';
import { connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { frameOf } from './fake-gateway.ts';
import { eventually, startSurface, type UnderTest } from './surface-under-test.ts';
import { CERT, KEY } from './tls-fixture.ts';

let under: UnderTest;
afterEach(async () => {
  await under.close();
});

/** Reads a path over TLS, checking the certificate. */
async function read(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  return await new Promise((resolve, reject) => {
    get(`${under.url}${path}`, { ca: CERT, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    }).on('error', reject);
  });
}

describe('HTTPS', () => {
  it('is served with the configured certificate, and named in the card', async () => {
    under = await startSurface({ server: { tls: { cert: CERT, key: KEY }, requireTls: true } });
    expect(under.url).toMatch(/^https:/);
    expect((await read('/health')).status).toBe(200);
    expect((await read('/v1/agent-card')).text).toContain(`"public_url":"${under.url}"`);
  });

  it('carries streams', async () => {
    under = await startSurface({ server: { tls: { cert: CERT, key: KEY } } });
    const frame = frameOf('00000000000000000001', 'task.submitted');
    const answer = read('/v1/tasks/task_1/stream', { Authorization: 'Bearer test' });
    await eventually(() => under.gateway.streams.length === 1);
    under.gateway.streams[0]?.sink.write(frame);
    under.gateway.streams[0]?.sink.end('complete');
    expect(await answer).toEqual({ status: 200, text: frame.sse.toString() });
  });

  it('refuses versions of TLS before 1.2', async () => {
    under = await startSurface({ server: { tls: { cert: CERT, key: KEY } } });
    const failure = await new Promise<Error>((resolve) => {
      const options = { port: under.port, ca: CERT, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
      connect({ ...options, host: '127.0.0.1', ciphers: 'ALL:@SECLEVEL=0' }).once('error', resolve);
    });
    expect(failure.message).toMatch(/version|alert|closed|unsupported|reset/i);
  });
});
