import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { AUTH, startSurface, type UnderTest } from '../surfaces/surface-under-test.ts';
import { CERT, KEY } from '../surfaces/tls-fixture.ts';
import { eventOf, TASK_STREAM } from './socket-stage.ts';

let under: UnderTest;
beforeEach(async () => {
  under = await startSurface({ server: { tls: { cert: CERT, key: KEY }, requireTls: true } });
});
afterEach(async () => {
  await under.close();
});

describe('wss', () => {
  it('carries streams', async () => {
    const url = `${under.url.replace(/^https/, 'wss')}${TASK_STREAM}`;
    const socket = new WebSocket(url, { ca: CERT, headers: AUTH });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const received = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))));
    under.gateway.streams[0]?.sink.write(eventOf('00000000000000000001', 'task.started'));
    expect(await received).toContain('"subscription":"task:task_1"');
    socket.terminate();
  });

  it('is named in the card', async () => {
    const card = await new Promise<string>((resolve) => {
      const socket = connect({
        port: under.port,
        host: '127.0.0.1',
        ca: CERT,
        checkServerIdentity: () => undefined,
      });
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
      });
      socket.on('close', () => resolve(text));
      socket.write(
        `GET /v1/agent-card HTTP/1.1\r\nHost: localhost:${under.port}\r\nConnection: close\r\n\r\n`,
      );
    });
    expect(card).toContain(`"url":"wss://127.0.0.1:${under.port}/v1/ws"`);
  });
});

describe('an offer of another protocol over TLS', () => {
  it('is answered as a plain request, and the connection stays usable', async () => {
    const text = await new Promise<string>((resolve) => {
      const socket = connect({
        port: under.port,
        host: '127.0.0.1',
        ca: CERT,
        checkServerIdentity: () => undefined,
      });
      let received = '';
      socket.on('data', (chunk) => {
        received += String(chunk);
      });
      socket.on('close', () => resolve(received));
      const head = `GET /health HTTP/1.1\r\nHost: localhost:${under.port}\r\n`;
      socket.write(`${head}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n${head}Connection: close\r\n\r\n`);
    });
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });
});
