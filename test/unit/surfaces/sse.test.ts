import { describe, expect, it } from 'vitest';
import { ProtocolError } from '#protocol/errors.ts';
import { frameOf } from './fake-gateway.ts';
import { StreamStage, TASK_STREAM } from './stream-stage.ts';
import { AUTH, envelopeOf, eventually } from './surface-under-test.ts';

const stage = new StreamStage();

const ONE = frameOf('00000000000000000001', 'task.submitted');
const TWO = frameOf('00000000000000000002', 'task.started');

describe('the bytes of a stream', () => {
  it('are the frames as they came, with nothing before the first', async () => {
    const client = await stage.follow();
    const { sink, call } = await stage.opened(client);
    expect(call.lastEventId).toBeUndefined();
    stage.under.time.advance(60_000);
    sink.write(ONE);
    sink.write(TWO);
    sink.end('complete');
    await client.closed;
    expect(client.body).toBe(
      'id: 00000000000000000001\nevent: task.submitted\ndata: {"id":"00000000000000000001"}\n\n' +
        'id: 00000000000000000002\nevent: task.started\ndata: {"id":"00000000000000000002"}\n\n',
    );
  });

  it('follow headers that keep caches and proxies from holding them back', async () => {
    const client = await stage.follow();
    await stage.opened(client);
    const head = client.text.slice(0, client.text.indexOf('\r\n\r\n')).toLowerCase();
    expect(head).toContain('http/1.1 200');
    expect(head).toContain('content-type: text/event-stream');
    expect(head).toContain('cache-control: no-store, no-transform');
    expect(head).toContain('x-accel-buffering: no');
    expect(head).toContain('x-request-id: req_');
    expect(head).not.toContain('transfer-encoding');
  });

  it('wait for an earlier answer on the same connection', async () => {
    let release = () => {};
    stage.under.gateway.answer = () =>
      new Promise((resolve) => {
        release = () => resolve({ status: 200, body: { kind: 'json', value: { first: true } } });
      });
    const client = await stage.follow('/v1/tasks');
    const head = `Host: 127.0.0.1:${stage.under.port}\r\nAuthorization: Bearer test\r\n`;
    client.send(`GET ${TASK_STREAM} HTTP/1.1\r\n${head}\r\n`);
    await eventually(() => stage.under.gateway.streams.length === 1);
    stage.under.gateway.streams[0]?.sink.write(ONE);
    release();
    await client.until((text) => text.includes('task.submitted'));
    stage.under.gateway.streams[0]?.sink.write(TWO);
    stage.under.gateway.streams[0]?.sink.end('complete');
    await client.closed;
    expect(client.text.indexOf('{"first":true}')).toBeGreaterThan(0);
    expect(client.text.indexOf('{"first":true}')).toBeLessThan(client.text.indexOf('text/event-stream'));
    expect(client.text.endsWith(`\r\n\r\n${ONE.sse}${TWO.sse}`)).toBe(true);
  });

  it('may begin before the subscription is complete', async () => {
    stage.under.gateway.beforeSubscribe = (sink) => {
      sink.write(ONE);
    };
    const client = await stage.follow();
    await client.until((text) => text.includes('task.submitted'));
    expect(client.body).toBe(ONE.sse.toString());
  });
});

describe('heartbeats', () => {
  it('come after 15 s of silence and advance the cursor without dispatching an event', async () => {
    const client = await stage.follow();
    const { sink } = await stage.opened(client);
    sink.write(ONE);
    stage.under.gateway.cursor = '00000000000000000009';
    stage.under.time.advance(14_000);
    await client.until((text) => text.includes('task.submitted'));
    expect(client.body).toBe(ONE.sse.toString());
    stage.under.time.advance(1_000);
    await client.until((text) => text.endsWith('id: 00000000000000000009\n\n'));
    expect(client.body).toBe(`${ONE.sse}: heartbeat\n\nid: 00000000000000000009\n\n`);
    stage.under.time.advance(10_000);
    sink.write(TWO);
    stage.under.time.advance(10_000);
    sink.end('complete');
    await client.closed;
    expect(client.body).toBe(`${ONE.sse}: heartbeat\n\nid: 00000000000000000009\n\n${TWO.sse}`);
  });

  it('come before the first event only when the client resumes, which is told at once', async () => {
    const client = await stage.follow(TASK_STREAM, { 'Last-Event-ID': '00000000000000000001' });
    const { call } = await stage.opened(client);
    expect(call.lastEventId).toBe('00000000000000000001');
    await client.until((text) => text.includes(': resumed'));
    stage.under.gateway.cursor = '00000000000000000001';
    stage.under.time.advance(15_000);
    await client.until((text) => text.includes(': heartbeat'));
    expect(client.body).toBe(': resumed\n\n: heartbeat\n\nid: 00000000000000000001\n\n');
  });

  it('need one timer for all streams and none without streams', async () => {
    const first = await stage.follow();
    await stage.opened(first);
    const second = await stage.follow('/v1/events/stream');
    await stage.opened(second, 2);
    expect(stage.under.time.running).toBe(1);
    first.socket.destroy();
    second.socket.destroy();
    await eventually(() => stage.under.surface.openStreams() === 0);
    expect(stage.under.time.running).toBe(0);
  });
});

describe('refusals', () => {
  it('before the stream are ordinary errors', async () => {
    stage.under.gateway.beforeSubscribe = () => {
      throw new ProtocolError('invalid_request', 'Malformed cursor.', { param: 'Last-Event-ID' });
    };
    const response = await fetch(`${stage.under.url}${TASK_STREAM}`, {
      headers: { ...AUTH, 'Last-Event-ID': 'x' },
    });
    expect(response.status).toBe(400);
    expect((await envelopeOf(response)).param).toBe('Last-Event-ID');
    expect(stage.under.surface.openStreams()).toBe(0);
  });

  it('of an expired cursor are one error frame in a stream that closes', async () => {
    stage.under.gateway.beforeSubscribe = () => {
      throw new ProtocolError('cursor_expired', 'Start over.');
    };
    const client = await stage.follow(TASK_STREAM, { 'Last-Event-ID': '1' });
    await client.closed;
    expect(client.text).toContain('HTTP/1.1 200');
    const requestId = /X-Request-Id: (\S+)/i.exec(client.text)?.[1];
    expect(client.body).toBe(
      ': resumed\n\nevent: error\ndata: {"error":{"code":"cursor_expired","message":"Start over.",' +
        `"type":"not_found_error","param":null,"request_id":"${requestId}","details":{}}}\n\n`,
    );
  });

  it('after the stream began are an error frame', async () => {
    const client = await stage.follow();
    const { sink } = await stage.opened(client);
    sink.write(ONE);
    sink.end('unauthenticated', new ProtocolError('unauthenticated', 'Your key was revoked.'));
    await client.closed;
    expect(client.body).toMatch(
      /^id: 0+1\n[\s\S]*\n\nevent: error\ndata: \{"error":\{"code":"unauthenticated"[^\n]*\n\n$/,
    );
  });

  it('come with 503 and Retry-After when there are too many streams', async () => {
    const first = await stage.follow();
    await stage.opened(first);
    for (const count of [2, 3]) await stage.opened(await stage.follow(), count);
    const response = await fetch(`${stage.under.url}${TASK_STREAM}`, { headers: AUTH });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    first.socket.destroy();
    await eventually(() => stage.under.surface.openStreams() === 2);
    await stage.opened(await stage.follow(), 4);
  });
});

describe('the end of a stream', () => {
  it('by the client closes the subscription and is no failure in the log', async () => {
    const client = await stage.follow();
    const stream = await stage.opened(client);
    stream.sink.write(ONE);
    client.socket.destroy();
    await eventually(() => stream.closed && stage.under.log.some((line) => line.message === 'request'));
    expect(stream.sink.write(TWO)).toBe(0);
    expect(stage.under.log.find((line) => line.message === 'request')?.fields['status']).toBe(200);
    expect(stream.call.signal.aborted).toBe(true);
  });

  it('by the client while the subscription is made closes it as soon as it exists', async () => {
    let release = () => {};
    stage.under.gateway.beforeSubscribe = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    const client = await stage.follow();
    await eventually(() => stage.under.surface.openStreams() === 1);
    client.socket.destroy();
    await eventually(() => stage.under.surface.openStreams() === 0);
    release();
    await eventually(() => stage.under.gateway.streams[0]?.closed === true);
  });

  it('by a shutdown tells when to come back, unless no event was sent', async () => {
    const told = await stage.follow();
    const { sink } = await stage.opened(told);
    sink.write(ONE);
    const untold = await stage.follow();
    await stage.opened(untold, 2);
    expect(await stage.under.surface.close({ graceMs: 2_000 })).toBe(true);
    await told.closed;
    await untold.closed;
    expect(told.body).toBe(`${ONE.sse}retry: 1000\n\n`);
    expect(untold.body).toBe('');
  });
});
