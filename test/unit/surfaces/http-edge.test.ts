import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answers, exchange, exchangeAsIs, get, post } from './raw-http.ts';
import { AUTH, startSurface, type UnderTest } from './surface-under-test.ts';

let under: UnderTest;
beforeEach(async () => {
  under = await startSurface({ server: { allowedHosts: ['gw.example.com'] } });
});
afterEach(async () => {
  await under.close();
});

describe('size and pace', () => {
  it('answers a head over the limit with 413', async () => {
    const [answer] = answers(
      await exchange(under.port, get('/v1/tasks', `Host: localhost\r\nX-A: ${'a'.repeat(20_000)}\r\n`)),
    );
    expect(answer?.status).toBe(413);
    expect(answer?.envelope.error.code).toBe('payload_too_large');
  });

  it('answers more than 100 headers with 413 instead of dropping some', async () => {
    const many = Array.from({ length: 100 }, (_, at) => `X-${at}: 1\r\n`).join('');
    const bytes = get('/v1/tasks', `Host: localhost\r\n${many}Connection: close\r\n`);
    const [answer] = answers(await exchange(under.port, bytes));
    expect(answer?.status).toBe(413);
  });

  it('answers 400 to a head that comes too slowly', async () => {
    await under.close();
    under = await startSurface({ limits: { headersTimeoutMs: 100, requestTimeoutMs: 200 } });
    const [answer] = answers(await exchange(under.port, 'GET /v1/tasks HTTP/1.1\r\nHos'));
    expect(answer?.status).toBe(400);
    expect(answer?.envelope.error.message).toContain('slowly');
  });

  it('answers 400 to a body that comes too slowly', async () => {
    await under.close();
    under = await startSurface({ limits: { headersTimeoutMs: 100, requestTimeoutMs: 200 } });
    const [answer] = answers(await exchange(under.port, post('Content-Length: 10\r\n', '{"a"')));
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
      return get(`/v1/tasks/${at}`, `Host: localhost\r\n${last}`);
    });
    const text = await exchange(under.port, requests.join(''));
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
    const [answer] = answers(await exchange(under.port, post(`${extra}Connection: close\r\n`)));
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
    const bytes = get('/health', `Host: ${host}\r\nConnection: close\r\n`);
    const text = await exchangeAsIs(under.port, bytes);
    expect(text).toContain(`HTTP/1.1 ${status}`);
    if (status !== 400) return;
    const { param, message } = answers(text)[0]?.envelope.error ?? {};
    expect([param, message]).toEqual(['Host', expect.stringContaining('server.allowed_hosts')]);
  });

  it('refuses a request without Host, of HTTP/1.0 too', async () => {
    expect(
      answers(await exchange(under.port, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'))[0]?.status,
    ).toBe(400);
    expect(answers(await exchange(under.port, 'GET /health HTTP/1.0\r\n\r\n'))[0]?.envelope.error.param).toBe(
      'Host',
    );
  });

  it('refuses an expectation other than 100-continue', async () => {
    const text = await exchange(
      under.port,
      get('/health', 'Host: localhost\r\nExpect: magic\r\nConnection: close\r\n'),
    );
    expect(answers(text)[0]?.envelope.error.param).toBe('Expect');
  });

  it('ignores an offer to upgrade to something unknown', async () => {
    const headers = 'Host: localhost\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n';
    expect(await exchange(under.port, get('/health', headers))).toContain('HTTP/1.1 200');
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
    const text = await exchange(under.port, get(target, 'Host: localhost\r\nConnection: close\r\n'));
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
      const text = await exchange(under.port, get(target, 'Host: localhost\r\nConnection: close\r\n'));
      expect([target, answers(text)[0]?.status]).toEqual([target, 404]);
    }
    expect(under.gateway.calls).toEqual([]);
  });

  it('CONNECT is refused with the envelope', async () => {
    const [answer] = answers(
      await exchange(under.port, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n'),
    );
    expect(answer?.status).toBe(404);
    expect(answer?.envelope.error.code).toBe('resource_not_found');
  });
});
