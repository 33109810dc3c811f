import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { answers, exchange, post } from './raw-http.ts';
import { AUTH, envelopeOf, startSurface, type UnderTest } from './surface-under-test.ts';

let under: UnderTest;
beforeEach(async () => {
  under = await startSurface({ server: { allowedOrigins: ['https://app.example.com'] } });
});
afterEach(async () => {
  await under.close();
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

  it.each([
    ['of the gateway itself', () => under.url, true],
    ['on the list', () => 'https://app.example.com', true],
    ['elsewhere', () => 'https://evil.example', false],
    ['of the same host without TLS', () => under.url.replace('http:', 'https:'), false],
  ])('%s may open sockets: %s', async (_, origin, isLetIn) => {
    const protocols = ['harn.v1', `harn.bearer.${AUTH.Authorization.slice('Bearer '.length)}`];
    const socket = new WebSocket(`${under.url.replace('http', 'ws')}/v1/ws`, protocols, { origin: origin() });
    const opened = await new Promise((resolve) => {
      socket.on('open', () => resolve(true));
      socket.on('error', () => resolve(false));
    });
    socket.terminate();
    expect(opened).toBe(isLetIn);
  });

  it('of another site cannot change anything by a request without an origin', async () => {
    const bytes = post('Sec-Fetch-Site: cross-site\r\nConnection: close\r\n');
    expect(answers(await exchange(under.port, bytes))[0]?.status).toBe(403);
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
    const { TransportSecurity } = await import('#surfaces/http/request-checks.ts');
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
