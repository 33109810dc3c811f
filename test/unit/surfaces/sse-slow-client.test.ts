import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { frameOf } from './fake-gateway.ts';
import { AUTH, eventually, RawClient, startSurface, type UnderTest } from './surface-under-test.ts';

let under: UnderTest;
const clients: RawClient[] = [];
beforeEach(async () => {
  under = await startSurface({ limits: { streamBufferBytes: 256 * 1024, maxStreams: 3 } });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.destroy();
  await under.close();
});

const TASK_STREAM = '/v1/tasks/task_1/stream';

/** Opens a stream on a bare socket, so that the bytes can be compared. */
async function follow(path = TASK_STREAM, headers: Record<string, string> = {}): Promise<RawClient> {
  const client = new RawClient(under.port);
  clients.push(client);
  const lines = Object.entries({ Host: `127.0.0.1:${under.port}`, ...AUTH, ...headers });
  client.send(
    `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  return client;
}

async function opened(client: RawClient, count = 1) {
  await client.until((text) => text.includes('\r\n\r\n'));
  await eventually(() => under.gateway.streams.length >= count);
  const stream = under.gateway.streams[count - 1];
  if (stream === undefined) throw new Error('no stream');
  return stream;
}

const ONE = frameOf('00000000000000000001', 'task.submitted');

describe('a client that does not read', () => {
  const big = frameOf('00000000000000000003', 'agent.message', `{"text":"${'x'.repeat(64 * 1024)}"}`);

  it('is closed at the byte cap, and nobody else is', async () => {
    const slow = await follow();
    const slowStream = await opened(slow);
    slow.socket.pause();
    const quick = await follow();
    const quickStream = await opened(quick, 2);
    let unsent = 0;
    while (!slowStream.closed) {
      unsent = Math.max(unsent, slowStream.sink.write(big));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(unsent).toBeLessThanOrEqual(256 * 1024);
    expect(slowStream.sink.write(big)).toBe(0);
    quickStream.sink.write(ONE);
    await quick.until((text) => text.includes('task.submitted'));
    expect(quickStream.closed).toBe(false);
    expect(under.surface.openStreams()).toBe(1);
  });

  it('gets a frame larger than the cap when nothing else waits', async () => {
    const client = await follow();
    const { sink } = await opened(client);
    const huge = frameOf('00000000000000000004', 'agent.message', `{"text":"${'y'.repeat(512 * 1024)}"}`);
    sink.write(huge);
    await sink.drained();
    sink.end('complete');
    await client.closed;
    expect(client.body).toBe(huge.sse.toString());
  });

  it('holds back history reading until it has read half', async () => {
    const client = await follow();
    const { sink } = await opened(client);
    client.socket.pause();
    while (sink.write(big) < 192 * 1024) await new Promise((resolve) => setImmediate(resolve));
    let drained = false;
    const waiting = sink.drained().then(() => {
      drained = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(drained).toBe(false);
    client.socket.resume();
    await waiting;
    expect(sink.write(ONE)).toBeLessThan(128 * 1024 + ONE.sse.length);
  });

  it('does not hold back anything once it is gone', async () => {
    const client = await follow();
    const stream = await opened(client);
    client.socket.pause();
    while (stream.sink.write(big) < 192 * 1024) await new Promise((resolve) => setImmediate(resolve));
    const waiting = stream.sink.drained();
    client.socket.destroy();
    await waiting;
    await eventually(() => stream.closed);
  });

  it('that the client does not take is cut after a while', async () => {
    const client = await follow();
    const stream = await opened(client);
    client.socket.pause();
    const frame = frameOf('00000000000000000003', 'agent.message', `{"t":"${'x'.repeat(32 * 1024)}"}`);
    while (stream.sink.write(frame) < 128 * 1024) await new Promise((resolve) => setImmediate(resolve));
    stream.sink.end('complete');
    expect(under.surface.openStreams()).toBe(1);
    under.time.advance(10_000);
    await eventually(() => under.surface.openStreams() === 0);
  });
});
