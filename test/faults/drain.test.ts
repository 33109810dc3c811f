import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { killChildren } from './child-processes.ts';
import { drains } from './drain.ts';
import { GatewayPlace } from './gateway-process.ts';

const SEED = Number(process.env['FAULTS_SEED'] ?? 20_261_121);

afterAll(killChildren);

describe('SIGTERM (O-01)', () => {
  it(`drains under load and open streams in time and loses nothing (seed ${SEED})`, async () => {
    const { violations, counts } = await drains(SEED, 2);
    process.stderr.write(`drain, seed ${SEED}: ${JSON.stringify(counts)}\n`);
    expect(violations).toEqual([]);
    expect(counts['drains']).toBe(2);
  }, 60_000);

  it('waits for a refused client that lingers, and ends with 0', async () => {
    const place = new GatewayPlace();
    try {
      const gateway = await place.start();
      const { hostname, port, host } = new URL(gateway.client.url);
      const lingering = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      lingering.write(`POST /v1/sessions HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000000\r\n\r\n`);
      // So much that the gateway stops reading: such a connection alone does not keep a process alive.
      lingering.write(Buffer.alloc(500_000, 'x'));
      lingering.on('error', () => undefined);
      await once(lingering, 'data');
      const { code, stderr } = await gateway.stop();
      lingering.destroy();
      expect(code).toBe(0);
      expect(stderr).toContain('"stopped"');
    } finally {
      place.remove();
    }
  });

  it('sent twice ends the gateway at once, although a request hangs', async () => {
    const place = new GatewayPlace();
    try {
      const gateway = await place.start();
      const { hostname, port, host } = new URL(gateway.client.url);
      const hanging = connect(Number(port), hostname);
      hanging.on('error', () => undefined);
      hanging.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\n`);
      await gateway.client.session();
      const stopped = gateway.stop();
      while (!gateway.child.stderr.includes('"draining"'))
        await new Promise((resolve) => setTimeout(resolve, 5));
      gateway.child.process.kill('SIGTERM');
      expect(await stopped).toMatchObject({ code: 1, signal: null });
      hanging.destroy();
      expect(await place.check()).toMatchObject({ code: 0 });
    } finally {
      place.remove();
    }
  }, 60_000);
});
