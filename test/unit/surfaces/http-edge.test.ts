import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  AUTH,
  type Envelope,
  envelopeOf,
  eventually,
  RawClient,
  startSurface,
  type UnderTest,
} from './surface-under-test.ts';

let under: UnderTest;
beforeEach(async () => {
  under = await startSurface({
    server: { allowedHosts: ['gw.example.com'], allowedOrigins: ['https://app.example.com'] },
  });
});
afterEach(async () => {
  await under.close();
});

/** Sends bytes and returns everything received until the gateway closed the connection. */
async function exchange(bytes: string): Promise<string> {
  const client = new RawClient(under.port).send(bytes);
  await client.closed;
  return client.text;
}

function answers(text: string): { status: number; envelope: Envelope }[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => answer !== '')
    .map((answer) => ({
      status: Number(answer.slice(9, 12)),
      envelope: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Envelope,
    }));
}

const auth = Object.entries(AUTH)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');
const post = (headers: string, body = '') =>
  `POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\n${auth}Content-Type: application/json\r\n${headers}\r\n${body}`;
const get = (target: string, headers = 'Host: localhost\r\n') =>
  `GET ${target} HTTP/1.1\r\n${headers}${auth}\r\n`;
const withPort = (bytes: string) =>
  bytes.replace('Host: localhost\r\n', () => `Host: localhost:${under.port}\r\n`);

const SMUGGLED = 'GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\n\r\n';
const BROKEN: [string, string][] = [
  [
    'a length and chunks',
    post(`Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${SMUGGLED}`),
  ],
  [
    'chunks and a length',
    post(`Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`, `0\r\n\r\n${SMUGGLED}`),
  ],
  ['two lengths', post('Content-Length: 2\r\nContent-Length: 40\r\n', `{}${SMUGGLED}`)],
  ['two equal lengths', post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}')],
  ['a list of lengths', post('Content-Length: 2, 2\r\n', '{}')],
  ['a signed length', post('Content-Length: +2\r\n', '{}')],
  ['a negative length', post('Content-Length: -2\r\n', '{}')],
  ['a hexadecimal length', post('Content-Length: 0x2\r\n', '{}')],
  ['an endless length', post('Content-Length: 99999999999999999999999\r\n', '{}')],
  ['chunked, identity', post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n')],
  ['xchunked', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')],
  ['identity', post('Transfer-Encoding: identity\r\n', '0\r\n\r\n')],
  ['chunked twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
  ['a space before the colon', post('Transfer-Encoding : chunked\r\n', '0\r\n\r\n')],
  ['a tab before the colon', post('Content-Length\t: 2\r\n', '{}')],
  ['a header without a colon', post('Content-Length 2\r\n', '{}')],
  ['a header without a name', post(': 2\r\n', '{}')],
  ['a folded header', post('X-A: 1\r\n Transfer-Encoding: chunked\r\n', '{}')],
  ['a bare line feed after a header', post('X-A: 1\nTransfer-Encoding: chunked\r\n', '{}')],
  ['a bare carriage return in a header', post('X-A: 1\rTransfer-Encoding: chunked\r\n', '{}')],
  ['a NUL in a header', post('X-A: 1\u0000\r\n', '{}')],
  ['a bad end of the head', 'GET /v1/tasks HTTP/1.1\r\nHost: localhost\r\n\r\rX'],
  ['a chunk size that is no number', post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n')],
  ['a signed chunk size', post('Transfer-Encoding: chunked\r\n', '+2\r\n{}\r\n0\r\n\r\n')],
  ['an endless chunk size', post('Transfer-Encoding: chunked\r\n', 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n')],
  ['a chunk longer than its size', post('Transfer-Encoding: chunked\r\n', '1\r\n{}\r\n0\r\n\r\n')],
  ['a chunk extension with a line feed', post('Transfer-Encoding: chunked\r\n', '2;a\nb\r\n{}\r\n0\r\n\r\n')],
  ['an unknown method', `SMUGGLE /v1/tasks HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  ['a method in lower case', `get /v1/tasks HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  ['no version', 'GET /v1/tasks\r\nHost: localhost\r\n\r\n'],
  ['an unknown version', 'GET /v1/tasks HTTP/3.7\r\nHost: localhost\r\n\r\n'],
  ['a TLS greeting', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ['a space in the target', 'GET /v1/ta sks HTTP/1.1\r\nHost: localhost\r\n\r\n'],
];

describe('a request with broken framing', () => {
  it.each(BROKEN)('with %s gets one 400 envelope and the connection ends', async (_name, bytes) => {
    const received = answers(await exchange(withPort(bytes)));
    expect(received.map(({ status }) => status)).toEqual([400]);
    expect(received[0]?.envelope.error).toMatchObject({ code: 'invalid_request', type: 'request_error' });
    expect(received[0]?.envelope.error.request_id).toMatch(/^req_/);
    expect(under.gateway.calls).toEqual([]);
  });

  it('that comes while another is answered ends the connection without a second answer', async () => {
    let release = () => {};
    under.gateway.answer = () =>
      new Promise((resolve) => {
        release = () => resolve({ status: 200, body: { kind: 'json', value: {} } });
      });
    const client = new RawClient(under.port).send(withPort(get('/v1/tasks')));
    await eventually(() => under.gateway.calls.length === 1);
    client.send('GET broken\r\n\r\n');
    await client.closed;
    release();
    expect(client.text).toBe('');
  });

  it('after a finished one is answered on its own', async () => {
    const client = new RawClient(under.port).send(withPort(get('/health')));
    await client.until((text) => text.endsWith('}'));
    client.send('GET broken\r\n\r\n');
    await client.closed;
    expect(client.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});

describe('size and pace', () => {
  it('answers a head over the limit with 413', async () => {
    const [answer] = answers(
      await exchange(get('/v1/tasks', `Host: localhost\r\nX-A: ${'a'.repeat(20_000)}\r\n`)),
    );
    expect(answer?.status).toBe(413);
    expect(answer?.envelope.error.code).toBe('payload_too_large');
  });

  it('answers more than 100 headers with 413 instead of dropping some', async () => {
    const many = Array.from({ length: 100 }, (_, at) => `X-${at}: 1\r\n`).join('');
    const bytes = withPort(get('/v1/tasks', `Host: localhost\r\n${many}Connection: close\r\n`));
    const [answer] = answers(await exchange(bytes));
    expect(answer?.status).toBe(413);
  });

  it('answers 400 to a head that comes too slowly', async () => {
    await under.close();
    under = await startSurface({ limits: { headersTimeoutMs: 100, requestTimeoutMs: 200 } });
    const [answer] = answers(await exchange('GET /v1/tasks HTTP/1.1\r\nHos'));
    expect(answer?.status).toBe(400);
    expect(answer?.envelope.error.message).toContain('slowly');
  });

  it('answers 400 to a body that comes too slowly', async () => {
    await under.close();
    under = await startSurface({ limits: { headersTimeoutMs: 100, requestTimeoutMs: 200 } });
    const [answer] = answers(await exchange(withPort(post('Content-Length: 10\r\n', '{"a"'))));
    expect(answer?.status).toBe(400);
    expect(answer?.envelope.error.message).toContain('slowly');
  });

  it('answers 200 pipelined requests in their order', async () => {
    let asked = 0;
    under.gateway.answer = async (_id, call) => {
      asked += 1;
      if (asked % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      return { status: 200, body: { kind: 'json', value: { path: call.path['task_id'] } } };
    };
    const requests = Array.from({ length: 200 }, (_, at) => {
      const last = at === 199 ? 'Connection: close\r\n' : '';
      return withPort(get(`/v1/tasks/${at}`, `Host: localhost\r\n${last}`));
    });
    const text = await exchange(requests.join(''));
    expect([...text.matchAll(/\{"path":"(\d+)"\}/g)].map((match) => Number(match[1]))).toEqual([
      ...Array(200).keys(),
    ]);
  });
});

describe('headers that decide something', () => {
  it.each([
    ['Host', 'Host: localhost\r\n'],
    ['Authorization', 'authorization: Bearer other\r\n'],
    ['Idempotency-Key', 'Idempotency-Key: a\r\nidempotency-key: b\r\n'],
    ['Content-Type', 'Content-Type: application/json\r\n'],
    ['Harn-Agents-Protocol-Version', 'harn-agents-protocol-version: agents-protocol-2026-04-25\r\n'],
    ['Last-Event-ID', 'Last-Event-ID: 1\r\nLast-Event-ID: 2\r\n'],
  ])('refuses a second %s', async (name, extra) => {
    const [answer] = answers(await exchange(withPort(post(`${extra}Connection: close\r\n`))));
    expect(answer?.status).toBe(400);
    expect(answer?.envelope.error.param).toBe(name);
    expect(under.gateway.calls).toEqual([]);
  });

  it.each([
    ['evil.example', 400],
    ['localhost', 400],
    ['localhost:1', 400],
    ['127.0.0.1.evil.example', 400],
    ['gw.example.com', 200],
    ['GW.example.com:443', 200],
    ['gw.example.com.evil.example', 400],
    ['', 400],
  ])('judges Host %s by the list: %i', async (host, status) => {
    const text = await exchange(get('/health', `Host: ${host}\r\nConnection: close\r\n`));
    expect(text).toContain(`HTTP/1.1 ${status}`);
    if (status === 400) expect(answers(text)[0]?.envelope.error.param).toBe('Host');
  });

  it('refuses a request without Host, of HTTP/1.0 too', async () => {
    expect(answers(await exchange('GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'))[0]?.status).toBe(400);
    expect(answers(await exchange('GET /health HTTP/1.0\r\n\r\n'))[0]?.envelope.error.param).toBe('Host');
  });

  it('refuses an expectation other than 100-continue', async () => {
    const text = await exchange(
      withPort(get('/health', 'Host: localhost\r\nExpect: magic\r\nConnection: close\r\n')),
    );
    expect(answers(text)[0]?.envelope.error.param).toBe('Expect');
  });

  it('ignores an offer to upgrade to something unknown', async () => {
    const headers = 'Host: localhost\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n';
    expect(await exchange(withPort(get('/health', headers)))).toContain('HTTP/1.1 200');
  });

  it('sends safety headers and no server name with every answer', async () => {
    for (const path of ['/health', '/v1/tasks', '/nothing']) {
      const { headers } = await fetch(`${under.url}${path}`, { headers: AUTH });
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('server')).toBeNull();
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });
});

describe('targets that others could read differently', () => {
  it.each([
    'http://evil.example/v1/tasks',
    '//evil.example/v1/tasks',
    '/v1/../v1/tasks',
    '/v1/tasks/..',
    '/v1/./tasks',
    '/v1/%2e%2e/v1/tasks',
    '/v1/tasks/%2E',
    '/v1/tasks/a%2fb',
    '/v1/tasks/a%5cb',
    '/v1/tasks/a\\b',
    '/v1/tasks/a%00',
    '/v1/tasks/%zz',
    '/v1/tasks/%ff',
    '/v1/tasks?cursor=%zz',
    '/v1/tasks#part',
    '*',
  ])('are refused: %s', async (target) => {
    const text = await exchange(withPort(get(target, 'Host: localhost\r\nConnection: close\r\n')));
    const [answer] = answers(text);
    expect([400, 404]).toContain(answer?.status);
    expect(under.gateway.calls).toEqual([]);
  });

  it('never route to another resource', async () => {
    for (const target of [
      '/v1/%74asks',
      '/v1//tasks',
      '/v1/tasks;x=1',
      '/v1/tasks%20',
      `/v1/tasks/${'a/'.repeat(2000)}`,
    ]) {
      const text = await exchange(withPort(get(target, 'Host: localhost\r\nConnection: close\r\n')));
      expect([target, answers(text)[0]?.status]).toEqual([target, 404]);
    }
    expect(under.gateway.calls).toEqual([]);
  });

  it('CONNECT is refused with the envelope', async () => {
    const [answer] = answers(
      await exchange('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n'),
    );
    expect(answer?.status).toBe(404);
    expect(answer?.envelope.error.code).toBe('resource_not_found');
  });
});

describe('browser pages', () => {
  const origin = 'https://app.example.com';

  it('of a listed origin may ask and read, without cookies', async () => {
    const preflight = await fetch(`${under.url}/v1/tasks`, {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Harn-Agents-Protocol-Version');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const answer = await fetch(`${under.url}/v1/tasks`, { headers: { ...AUTH, Origin: origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('vary')).toBe('Origin');
  });

  it('of another origin cannot change anything and cannot read', async () => {
    const headers = { ...AUTH, Origin: 'https://evil.example' };
    const change = await fetch(`${under.url}/v1/tasks/task_1/cancel`, { method: 'POST', headers });
    expect(change.status).toBe(403);
    expect((await envelopeOf(change)).param).toBe('Origin');
    const read = await fetch(`${under.url}/v1/tasks`, { headers });
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await fetch(`${under.url}/v1/tasks`, {
      method: 'OPTIONS',
      headers: { Origin: 'null', 'Access-Control-Request-Method': 'GET' },
    });
    expect(preflight.status).toBe(403);
    expect(under.gateway.calls.map(({ id }) => id)).toEqual(['listTasks']);
  });

  it('of the gateway itself may change things', async () => {
    const headers = { ...AUTH, Origin: under.url };
    expect((await fetch(`${under.url}/v1/tasks/task_1/cancel`, { method: 'POST', headers })).status).toBe(
      200,
    );
  });

  it('of another site cannot change anything by a request without an origin', async () => {
    const bytes = withPort(post('Sec-Fetch-Site: cross-site\r\nConnection: close\r\n'));
    expect(answers(await exchange(bytes))[0]?.status).toBe(403);
  });
});

describe('TLS where it is required', () => {
  const healthFrom = async (
    server: { trustedProxies: string[]; allowedHosts?: string[] },
    headers: Record<string, string>,
  ) => {
    await under.close();
    under = await startSurface({ server: { requireTls: true, ...server } });
    return (await fetch(`${under.url}/health`, { headers })).status;
  };

  it('lets loopback in', async () => {
    expect(await healthFrom({ trustedProxies: [] }, {})).toBe(200);
  });

  it('believes X-Forwarded-Proto only from a trusted proxy', async () => {
    const { TransportSecurity } = await import('../../../src/surfaces/http/transport-security.ts');
    const from = (remoteAddress: string, proto?: string) =>
      ({ socket: { remoteAddress }, headers: { 'x-forwarded-proto': proto } }) as never;
    const transport = new TransportSecurity(['10.1.0.0/16', 'fd00::1'], true);
    expect(transport.isSecure(from('10.1.2.3', 'https'))).toBe(true);
    expect(transport.isSecure(from('::ffff:10.1.2.3', 'https'))).toBe(true);
    expect(transport.isSecure(from('fd00::1', 'https'))).toBe(true);
    expect(transport.isSecure(from('10.2.2.3', 'https'))).toBe(false);
    expect(transport.isSecure(from('10.1.2.3', 'http'))).toBe(false);
    expect(() => transport.check(from('10.2.2.3', 'https'))).toThrow('HTTPS');
    expect(() => transport.check(from('10.1.2.3', 'https'))).not.toThrow();
  });
});
