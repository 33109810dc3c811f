import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_VERSION, VERSION_HEADER } from '#protocol/versions.ts';
import type { Move, Turn } from '#protocol-client.ts';
import { userText } from '../harness/client.ts';
import { EventStreamClient } from '../harness/event-stream.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { RawClient } from '../unit/surfaces/surface-under-test.ts';
import { bind, chunk, PuppetClient } from './puppet-client.ts';
import { SeededRandom } from './seeded-random.ts';

const CHUNKS = 190;
const APPENDERS = 4;
const APPENDS = 60;
const BUFFER_BYTES = 256 * 1024;
const BEFORE_ALL = '0'.repeat(20);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    config: { limits: { stream_buffer_bytes: BUFFER_BYTES } },
    extraClients: [new PuppetClient(play)],
  });
});
afterAll(() => gateway.close());

async function* play(turn: Turn): AsyncGenerator<Move[]> {
  yield [bind(turn)];
  for (let n = 0; n < CHUNKS; n += 1) yield [chunk(`chunk ${n}\n`, n > 0, n === CHUNKS - 1)];
  yield [{ type: 'status', to: 'COMPLETED' }];
}

describe('a task stream (S-01)', () => {
  it('cut at every event and resumed brings the rest, byte for byte, without gap or double', async () => {
    const { client } = gateway;
    const task = await client.submit('go');
    await client.until(task.id, 'COMPLETED');
    const path = `/v1/tasks/${task.id}/stream`;
    const whole = await EventStreamClient.open(client, path);
    await whole.ended;
    const frames = whole.blocks.filter(({ data }) => data !== undefined);
    expect(frames.length).toBeGreaterThan(CHUNKS);
    const events = await client.events(`/v1/tasks/${task.id}/events`);
    expect(frames.map(({ data }) => data)).toEqual(events.map((event) => JSON.stringify(event)));
    for (const [at, { id }] of frames.entries()) {
      const rest = await EventStreamClient.open(client, path, id);
      await rest.ended;
      const resumed = rest.blocks.filter(({ data }) => data !== undefined);
      expect(resumed, `resumed after event ${at}`).toEqual(frames.slice(at + 1));
    }
  }, 60_000);
});

describe('subscribers who come while events are appended (S-02)', () => {
  it('miss nothing between history and live, and get nothing twice', async () => {
    const { client } = gateway;
    const random = new SeededRandom(2);
    const { id } = await client.session();
    const path = `/v1/sessions/${id}/events/stream`;
    let appending = APPENDERS;
    const appenders = Array.from({ length: APPENDERS }, async () => {
      for (let n = 0; n < APPENDS; n += 1)
        await client.post(`/v1/sessions/${id}/messages`, { message: userText('x') });
      appending -= 1;
    });
    const streams: EventStreamClient[] = [];
    while (appending > 0) {
      const known = streams.at(-1)?.events ?? [];
      const after = known.length > 0 && random.chance(0.5) ? random.pick(known).id : BEFORE_ALL;
      streams.push(await EventStreamClient.open(client, path, after));
    }
    await Promise.all(appenders);
    const events = await client.events(`/v1/sessions/${id}/events`);
    const last = events.at(-1)?.id;
    for (const stream of streams) {
      await stream.until('the last event', ({ blocks }) => blocks.some((block) => block.id === last));
      const seen = stream.events.map((event) => event.id);
      const from = events.findIndex((event) => event.id === seen[0]);
      expect(seen).toEqual(events.slice(from).map((event) => event.id));
      await stream.close();
    }
    expect(streams.length).toBeGreaterThan(5);
  }, 60_000);
});

/** Opens a stream of everything on a bare socket and reads nothing of it. */
function pausedStream(path: string): RawClient {
  const { url, key } = gateway.client;
  const { host, port } = new URL(url);
  const head = [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${key}`,
    `${VERSION_HEADER}: ${DEFAULT_VERSION}`,
    `Last-Event-ID: ${BEFORE_ALL}`,
  ];
  const client = new RawClient(Number(port)).send(`${head.join('\r\n')}\r\n\r\n`);
  client.socket.pause();
  return client;
}

describe('a client that does not read (S-08)', () => {
  it('is closed at the cap and resumes without loss, and nobody else notices', async () => {
    const { client } = gateway;
    const { id } = await client.session();
    const path = `/v1/sessions/${id}/events/stream`;
    const others = await Promise.all([1, 2, 3].map(() => EventStreamClient.open(client, path, BEFORE_ALL)));
    const slow = pausedStream(path);
    // More than the kernel buffers of both sides and the cap together.
    for (let n = 0; n < 400; n += 1)
      await client.post(`/v1/sessions/${id}/messages`, { message: userText(`${n} ${'x'.repeat(40_000)}`) });
    slow.socket.resume();
    await slow.closed;
    const text = slow.body;
    const events = await client.events(`/v1/sessions/${id}/events`);
    const last = events.at(-1)?.id ?? '';
    for (const other of others) {
      await other.until('the last event', ({ blocks }) => blocks.some((block) => block.id === last));
      expect(other.events.map((event) => event.id)).toEqual(events.map((event) => event.id));
      await other.close();
    }
    const ids = [...text.matchAll(/^id: (\d{20})$/gm)].map(([, found]) => found ?? '');
    const complete = text.endsWith('\n\n') ? ids : ids.slice(0, -1);
    expect(complete).toEqual(events.slice(0, complete.length).map((event) => event.id));
    expect(complete.length).toBeLessThan(events.length);
    const resumed = await EventStreamClient.open(client, path, complete.at(-1));
    await resumed.until('the last event', ({ blocks }) => blocks.some((block) => block.id === last));
    expect(resumed.events.map((event) => event.id)).toEqual(
      events.slice(complete.length).map((event) => event.id),
    );
    await resumed.close();
    expect(await measured('harn_streams_overflowed_total{transport="sse"}')).toBe(1);
    // One that reads nothing of what is recorded already is waited for, and the metrics say how far behind it is.
    const behind = pausedStream(path);
    await expect.poll(() => measured('harn_followers{state="behind"}')).toBe(1);
    await expect.poll(() => measured('harn_follower_unsent_bytes')).toBeGreaterThan(0);
    expect(await measured('harn_follower_lag_events')).toBeGreaterThan(0);
    behind.socket.destroy();
    await expect.poll(() => measured('harn_followers{state="behind"}')).toBe(0);
    expect(await measured('harn_follower_lag_events')).toBe(0);
  }, 60_000);
});

/** The value of a sample at `/metrics`. */
async function measured(sample: string): Promise<number | undefined> {
  const { text } = await gateway.client.call('GET', '/metrics');
  const line = text.split('\n').find((found) => found.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}
