import { describe, expect, it } from 'vitest';
import { frameOf } from './fake-gateway.ts';
import { StreamStage } from './stream-stage.ts';
import { eventually } from './surface-under-test.ts';

const stage = new StreamStage();

const ONE = frameOf('00000000000000000001', 'task.submitted');

describe('a client that does not read', () => {
  const big = frameOf('00000000000000000003', 'agent.message', `{"text":"${'x'.repeat(64 * 1024)}"}`);

  it('is closed at the byte cap, and nobody else is', async () => {
    const slow = await stage.follow();
    const slowStream = await stage.opened(slow);
    slow.socket.pause();
    const quick = await stage.follow();
    const quickStream = await stage.opened(quick, 2);
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
    expect(stage.under.surface.openStreams()).toBe(1);
  });

  it('gets a frame larger than the cap when nothing else waits', async () => {
    const client = await stage.follow();
    const { sink } = await stage.opened(client);
    const huge = frameOf('00000000000000000004', 'agent.message', `{"text":"${'y'.repeat(512 * 1024)}"}`);
    sink.write(huge);
    await sink.drained();
    sink.end('complete');
    await client.closed;
    expect(client.body).toBe(huge.sse.toString());
  });

  it('is not one whose frames were held back for a single write', async () => {
    const client = await stage.follow();
    const { sink } = await stage.opened(client);
    const huge = frameOf('00000000000000000004', 'agent.message', `{"text":"${'y'.repeat(512 * 1024)}"}`);
    sink.cork?.();
    sink.write(ONE);
    sink.write(huge);
    sink.uncork?.();
    sink.end('complete');
    await client.closed;
    expect(client.body).toBe(`${ONE.sse}${huge.sse}`);
  });

  it('holds back history reading until it has read half', async () => {
    const client = await stage.follow();
    const { sink } = await stage.opened(client);
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
    const client = await stage.follow();
    const stream = await stage.opened(client);
    client.socket.pause();
    while (stream.sink.write(big) < 192 * 1024) await new Promise((resolve) => setImmediate(resolve));
    const waiting = stream.sink.drained();
    client.socket.destroy();
    await waiting;
    await eventually(() => stream.closed);
  });

  it('that the client does not take is cut after a while', async () => {
    const client = await stage.follow();
    const stream = await stage.opened(client);
    client.socket.pause();
    const frame = frameOf('00000000000000000003', 'agent.message', `{"t":"${'x'.repeat(32 * 1024)}"}`);
    while (stream.sink.write(frame) < 128 * 1024) await new Promise((resolve) => setImmediate(resolve));
    stream.sink.end('complete');
    expect(stage.under.surface.openStreams()).toBe(1);
    stage.under.time.advance(10_000);
    await eventually(() => stage.under.surface.openStreams() === 0);
  });
});
