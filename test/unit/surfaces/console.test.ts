import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SignInCodes } from '#surfaces/discovery/sign-in-codes.ts';
import { startSurface, type UnderTest } from './surface-under-test.ts';

const ISSUER = { issuer: 'https://login.example.com/realm', client_id: 'harn-console' };
const KEY = 'harn_key_of_the_console';

describe('the console', () => {
  let under: UnderTest;
  let nowMs = 0;
  const clock = { now: () => nowMs, monotonic: () => nowMs };
  const random = { bytes: (size: number) => crypto.getRandomValues(new Uint8Array(size)) };
  let codes: SignInCodes;
  beforeEach(async () => {
    nowMs = 0;
    codes = new SignInCodes({ clock, random });
    under = await startSurface({
      console: { folder: 'test/unit/surfaces/page', version: '1.2.3', issuers: () => [ISSUER], codes },
    });
  });
  afterEach(async () => {
    await under.close();
  });

  const read = (path: string, accept = 'text/html,*/*;q=0.8') =>
    fetch(`${under.url}${path}`, { headers: { accept }, redirect: 'manual' });
  const signIn = async (code: unknown) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${under.url}/console/sign-in`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ code }),
    });
    return {
      status: answer.status,
      body: (await answer.json()) as Record<string, unknown>,
      headers: answer.headers,
    };
  };

  it.each(['/', '/console'])('is where a browser is led from %s, without a key', async (path) => {
    const led = await read(path);
    expect([led.status, led.headers.get('location')]).toEqual([302, '/console/']);
    expect((await read('/console/')).headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(under.gateway.calls).toEqual([]);
  });

  it('leaves the JSON of the root to other clients', async () => {
    for (const accept of ['application/json', '*/*'])
      expect(await (await read('/', accept)).json()).toMatchObject({ error: { code: 'resource_not_found' } });
  });

  it('calls the gateway and the issuers, runs nothing else and is not framed', async () => {
    const policy = (await read('/console/')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("connect-src 'self' https://login.example.com;");
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it('says where people sign in, and no more', async () => {
    expect(await (await read('/console/settings.json')).json()).toEqual({
      version: '1.2.3',
      protocol_versions: ['agents-protocol-2026-04-25', 'agents-protocol-2026-10-11'],
      issuers: [ISSUER],
    });
  });

  it('gives the key of a code once', async () => {
    const code = codes.issue(KEY);
    const { status, body, headers } = await signIn(code);
    expect([status, body, headers.get('cache-control')]).toEqual([200, { key: KEY }, 'no-store']);
    expect((await signIn(code)).status).toBe(401);
  });

  it('gives it for a minute, and to no page elsewhere', async () => {
    const [late, foreign] = [codes.issue(KEY), codes.issue(KEY)];
    const crossed = await fetch(`${under.url}/console/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: 'https://evil.example' },
      body: JSON.stringify({ code: foreign }),
    });
    expect(crossed.status).toBe(403);
    nowMs = 60_001;
    const { status, body } = await signIn(late);
    expect([status, JSON.stringify(body)]).toEqual([401, expect.stringContaining('older than a minute')]);
  });

  it.each([[undefined], [7], [''], ['x'.repeat(300)], [['a']]])('refuses %j as a code', async (code) => {
    expect(await signIn(code)).toMatchObject({ status: 400, body: { error: { param: 'code' } } });
  });

  it('is a 404 where the operator wants none', async () => {
    const without = await startSurface({});
    try {
      expect((await fetch(`${without.url}/console/`)).status).toBe(404);
    } finally {
      await without.close();
    }
  });
});
