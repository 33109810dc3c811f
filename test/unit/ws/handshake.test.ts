import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProtocolError } from '#protocol/errors.ts';
import { challenge } from '../../harness/challenge.ts';
import { type WsOptions, WsRefused, WsTestClient } from '../../harness/ws-client.ts';
import { answers, exchange } from '../surfaces/raw-http.ts';
import {
  AUTH,
  envelopeOf,
  eventually,
  startSurface,
  type UnderTest,
} from '../surfaces/surface-under-test.ts';

let under: UnderTest;
const clients: WsTestClient[] = [];
beforeEach(async () => {
  under = await startSurface({
    limits: { maxStreams: 3 },
    server: { allowedOrigins: ['https://app.example.com'] },
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  await under.close();
});

async function open(path = '/v1/ws', options: WsOptions = {}): Promise<WsTestClient> {
  const client = await WsTestClient.open(under.url, path, options);
  clients.push(client);
  return client;
}

async function refusal(path: string, options: WsOptions = {}): Promise<WsRefused> {
  const thrown = await open(path, options).catch((error: unknown) => error);
  if (thrown instanceof WsRefused) return thrown;
  throw new Error(`not refused: ${thrown}`);
}

describe('an upgrade', () => {
  it.each(['/v1/ws', '/v1/tasks/task_1/stream', '/v1/sessions/session_1/events/stream', '/v1/events/stream'])(
    'is taken on %s',
    async (path) => {
      const client = await open(path);
      expect(client.socket.protocol).toBe('');
      expect(client.socket.extensions).toBe('');
      expect(under.surface.openStreams()).toBe(1);
    },
  );

  it('hands the path, the filters and the cursor to the stream operation', async () => {
    await open('/v1/events/stream?session_id=session_1', {
      headers: { 'Last-Event-ID': '00000000000000000007' },
    });
    const [stream] = under.gateway.streams;
    expect(stream?.id).toBe('streamEvents');
    expect(stream?.call).toMatchObject({
      query: { session_id: 'session_1' },
      lastEventId: '00000000000000000007',
    });
    expect(under.gateway.entries).toMatchObject([{ authorization: 'Bearer test' }]);
  });

  it('[C10] authenticates browsers by subprotocol, selects harn.v1 and never echoes the credential', async () => {
    const client = await open('/v1/ws', { bare: true, protocols: ['harn.v1', 'harn.bearer.test'] });
    expect(client.socket.protocol).toBe('harn.v1');
    client.send({ type: 'cancel', id: 'c', task_id: 'task_1' });
    await client.until(({ type }) => type === 'ack');
    expect(under.gateway.entries).toEqual([
      { authorization: 'Bearer test', version: 'agents-protocol-2026-04-25' },
    ]);
  });
});

describe('a refused upgrade', () => {
  it('is an HTTP answer with the error envelope', async () => {
    const { status, headers, error } = await refusal('/v1/ws', { bare: true });
    expect(status).toBe(401);
    expect(headers['content-type']).toContain('application/json');
    expect(headers['www-authenticate']).toBe(challenge(under.url));
    expect(error.code).toBe('unauthenticated');
  });

  it.each([
    ['a page of another origin', '/v1/ws', { headers: { Origin: 'https://evil.example' } }, 403, 'Origin'],
    ['a page without origin', '/v1/ws', { headers: { Origin: 'null' } }, 403, 'Origin'],
    ['a path without stream', '/v1/tasks', {}, 404, null],
    ['an unknown path', '/v1/wss', {}, 404, null],
    ['a token in the query', '/v1/ws?access_token=abc', {}, 400, 'access_token'],
    ['another host', '/v1/ws', { headers: { Host: 'evil.example' } }, 400, 'Host'],
    ['two credentials', '/v1/ws', { protocols: ['harn.v1', 'harn.bearer.x'] }, 400, 'Authorization'],
  ] as const)('refuses %s', async (_, path, options, status, param) => {
    const refused = await refusal(path, options as WsOptions);
    expect(refused.status).toBe(status);
    expect(refused.error.param).toBe(param);
    expect(under.gateway.streams).toEqual([]);
  });

  it('lets pages of a listed origin in', async () => {
    await open('/v1/ws', { headers: { Origin: 'https://app.example.com' } });
  });

  it('does not take a token from the query instead of a header', async () => {
    expect((await refusal('/v1/ws?access_token=test', { bare: true })).status).toBe(401);
  });

  it('says what the stream operation says', async () => {
    under.gateway.beforeSubscribe = () => {
      throw new ProtocolError('resource_not_found', 'No such task.');
    };
    expect((await refusal('/v1/tasks/task_1/stream')).status).toBe(404);
    expect(under.surface.openStreams()).toBe(0);
    expect(under.time.running).toBe(0);
  });

  it('tells nothing of an internal failure but logs it', async () => {
    under.gateway.beforeSubscribe = () => {
      throw new Error('secret place');
    };
    const { status, body } = await refusal('/v1/tasks/task_1/stream');
    expect(status).toBe(500);
    expect(body).not.toContain('secret place');
    expect(under.log.find(({ message }) => message === 'upgrade failed')?.level).toBe('error');
  });

  it('comes with 503 when there are too many sockets', async () => {
    for (let count = 0; count < 3; count += 1) await open();
    const { status, headers } = await refusal('/v1/ws');
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('5');
    clients[0]?.socket.terminate();
    await eventually(() => under.surface.openStreams() === 2);
    await open();
  });

  it.each([
    ['Sec-WebSocket-Version', 'Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'],
    ['Sec-WebSocket-Key', 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n'],
    [
      'Sec-WebSocket-Protocol',
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: a,,b\r\n',
    ],
  ])('names the bad %s', async (param, lines) => {
    const head = `Host: localhost\r\n${Object.entries(AUTH)
      .map(([n, v]) => `${n}: ${v}\r\n`)
      .join('')}`;
    const text = await exchange(
      under.port,
      `GET /v1/ws HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: websocket\r\n${lines}\r\n`,
    );
    expect(answers(text)[0]).toMatchObject({ status: 400, envelope: { error: { param } } });
    expect(text).toContain('Sec-WebSocket-Version: 13\r\n');
  });
});

describe('a plain request', () => {
  it('to /v1/ws is told to upgrade, once it is known who asks', async () => {
    const plain = await fetch(`${under.url}/v1/ws`, { headers: AUTH });
    expect(plain.status).toBe(400);
    expect((await envelopeOf(plain)).param).toBe('Upgrade');
    expect((await fetch(`${under.url}/v1/ws`)).status).toBe(401);
  });

  it('that offers HTTP/2 is answered, body and all, and the connection stays usable', async () => {
    const body = '{"reason":"late"}';
    const head = `Host: localhost\r\n${Object.entries(AUTH)
      .map(([n, v]) => `${n}: ${v}\r\n`)
      .join('')}`;
    const first =
      `POST /v1/tasks/task_1/cancel HTTP/1.1\r\n${head}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n` +
      `HTTP2-Settings: AAMAAABk\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const second = `GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    const text = await exchange(under.port, first + second);
    expect(answers(text).map(({ status }) => status)).toEqual([200, 200]);
    expect(under.gateway.calls.map(({ id, call }) => [id, call.body])).toEqual([
      ['cancelTask', { reason: 'late' }],
    ]);
  });
});
