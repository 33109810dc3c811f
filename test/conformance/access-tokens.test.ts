import { createHmac, createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AskingClient } from '../harness/asking-client.ts';
import { TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { type SigningPair, signingPair, signToken, TokenIssuerPeer } from '../harness/peers/token-issuer.ts';
import { badClaims, badSpellings } from './bad-tokens.ts';
import { AUDIENCE, ask, clock, goodClaims, issuerRow, NOW, START_MS, time } from './token-stage.ts';

let issuer: TokenIssuerPeer;
let gateway: TestGateway;
let pair: SigningPair;

beforeAll(async () => {
  issuer = await new TokenIssuerPeer().start();
  pair = await signingPair('key-1');
  issuer.publish(pair);
  const config = { auth: { oauth: [issuerRow(issuer.url)] } };
  gateway = await startTestGateway({ clock, config, extraClients: [new AskingClient()] });
});
afterAll(async () => {
  await gateway.close();
  await issuer.close();
});
beforeEach(() => {
  time.ms = START_MS;
});

const claims = (extra: Record<string, unknown> = {}) => goodClaims(issuer.url, extra);
const call = (token: string, path?: string) => ask(gateway, token, path);
const statusOf = async (token: string) => (await call(token)).status;

describe('an access token', () => {
  it('[EXT-OAU-01] signed by the issuer, for this gateway, in its time, says who calls', async () => {
    const token = await signToken(pair, claims());
    const made = await new TestClient(gateway.url, token).call('POST', '/v1/sessions', {
      body: { workspace_id: 'workspace_default' },
    });
    expect(made.status).toBe(201);
    expect(made.body['workspace_id']).toBe('workspace_default');
    const { body } = await call(
      await signToken(pair, claims({ scope: 'events:read' })),
      `/v1/events?session_id=${made.body['id']}`,
    );
    expect((body['data'] as { actor: string }[])[0]?.actor).toBe('robot');
  });

  it('[EXT-OAU-01] grants its scopes and no others, from scope or scp, text or list', async () => {
    expect(await statusOf(await signToken(pair, claims({ scope: undefined, scp: ['sessions:read'] })))).toBe(
      200,
    );
    expect(await statusOf(await signToken(pair, claims({ scope: undefined, scp: 'sessions:read' })))).toBe(
      200,
    );
    for (const scope of ['', 'sessions:readX', 'xsessions:read', 'sessions:write', 'SESSIONS:READ']) {
      const { status, body } = await call(await signToken(pair, claims({ scope })));
      expect([status, body['error']]).toMatchObject([
        403,
        { code: 'permission_denied', details: { required_scope: 'sessions:read' } },
      ]);
    }
  });

  it('is a member of the workspaces it lists, never of all', async () => {
    const list = async (workspaces: unknown) =>
      (await call(await signToken(pair, claims({ scope: 'workspaces:read', workspaces })), '/v1/workspaces'))
        .body['data'];
    expect(await list(['workspace_default'])).toHaveLength(1);
    expect(await list('workspace_default other')).toHaveLength(1);
    expect(await list(['*'])).toEqual([]);
    expect(await list(undefined)).toEqual([]);
  });

  it('may be up to 30 s past its expiry or before its time, for clocks that differ', async () => {
    expect(await statusOf(await signToken(pair, claims({ iat: NOW - 100, exp: NOW - 29 })))).toBe(200);
    expect(await statusOf(await signToken(pair, claims({ iat: NOW - 100, exp: NOW - 31 })))).toBe(401);
    expect(await statusOf(await signToken(pair, claims({ nbf: NOW + 29 })))).toBe(200);
    expect(await statusOf(await signToken(pair, claims({ nbf: NOW + 31 })))).toBe(401);
    expect(await statusOf(await signToken(pair, claims({ iat: NOW + 29 })))).toBe(200);
    expect(await statusOf(await signToken(pair, claims({ iat: NOW + 31 })))).toBe(401);
  });

  it('that was verified once is refused when its time is over', async () => {
    const token = await signToken(pair, claims({ exp: NOW + 60 }));
    expect(await statusOf(token)).toBe(200);
    time.ms += 89_000;
    expect(await statusOf(token)).toBe(200);
    time.ms += 2_000;
    expect(await statusOf(token)).toBe(401);
  });

  it('that ends during an open stream ends the stream, with an error that says so', async () => {
    const token = await signToken(pair, claims({ exp: NOW + 60, scope: 'events:read' }));
    const response = await fetch(`${gateway.url}/v1/events/stream`, {
      headers: {
        authorization: `Bearer ${token}`,
        'harn-agents-protocol-version': 'agents-protocol-2026-04-25',
      },
    });
    expect(response.status).toBe(200);
    time.ms += 91_000;
    await gateway.tidy();
    const text = await response.text();
    expect(text).toContain('event: error\n');
    expect(text).toContain('"code":"unauthenticated"');
  });
});

describe('a token that ends during a stream of A2A', () => {
  it('[A2A-ERR-04] ends the stream with an error in the form of its binding', async () => {
    const token = await signToken(pair, claims({ exp: NOW + 60, scope: '*' }));
    const post = (path: string, body: object) =>
      fetch(`${gateway.url}/a2a/asking${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'a2a-version': '1.0',
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'tool' }] };
    const { task } = (await (await post('/message:send', { message })).json()) as { task: { id: string } };
    const open = [
      await post(`/tasks/${task.id}:subscribe`, {}),
      await post('', { jsonrpc: '2.0', id: 7, method: 'SubscribeToTask', params: { id: task.id } }),
    ];
    time.ms += 91_000;
    await gateway.tidy();
    const last = async (answer: Response) => JSON.parse((await answer.text()).split('data: ').at(-1) ?? '');
    const [rest, rpc] = await Promise.all(open.map(last));
    const info = [{ reason: 'UNAUTHENTICATED' }];
    expect(rest).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED', details: info } });
    expect(rpc).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32603, data: info } });
  });
});

describe('a token is refused with 401 and nothing is fetched for it', () => {
  const foreign = (): Promise<SigningPair> => signingPair('key-1');
  const base64 = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const swap = (token: string, at: number, part: string) =>
    token
      .split('.')
      .map((old, n) => (n === at ? part : old))
      .join('.');
  const withClaims = (extra: Record<string, unknown>) => () => signToken(pair, claims(extra));
  const withHeader = (header: object) => () => signToken(pair, claims(), header as never);
  const rewritten = (at: number, text: string) => async () =>
    swap(await signToken(pair, claims()), at, base64(text));

  const BAD: Record<string, () => Promise<string> | string> = {
    'no signature': async () => swap(await signToken(pair, claims()), 2, ''),
    'algorithm none': () => `${base64({ alg: 'none', typ: 'at+jwt' })}.${base64(claims())}.`,
    'algorithm none with a signature': async () =>
      swap(await signToken(pair, claims()), 0, base64({ alg: 'none', typ: 'at+jwt', kid: 'key-1' })),
    'HS256 with the public key as secret': () => {
      const signed = `${base64({ alg: 'HS256', typ: 'at+jwt', kid: 'key-1' })}.${base64(claims())}`;
      const pem = createPublicKey({ key: pair.jwk as never, format: 'jwk' }).export({
        type: 'spki',
        format: 'pem',
      });
      return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`;
    },
    'an algorithm that is not allowed': async () => signToken(await signingPair('key-1', 'ES384'), claims()),
    'another key under the same id': async () => signToken(await foreign(), claims()),
    'an unknown key id': withHeader({ kid: 'key-2' }),
    'a key of its own (jwk)': async () => {
      const own = await foreign();
      return signToken(own, claims(), { jwk: own.jwk as never });
    },
    'a key elsewhere (jku)': withHeader({ jku: 'http://127.0.0.1:1/keys' }),
    'a key elsewhere (x5u)': withHeader({ x5u: 'http://127.0.0.1:1/cert' }),
    'a certificate of its own (x5c)': withHeader({ x5c: ['AAAA'] }),
    'critical members': async () =>
      swap(
        await signToken(pair, claims()),
        0,
        base64({ alg: 'ES256', typ: 'at+jwt', kid: 'key-1', crit: ['exp'] }),
      ),
    'an unencoded payload': async () =>
      swap(
        await signToken(pair, claims()),
        0,
        base64({ alg: 'ES256', typ: 'at+jwt', kid: 'key-1', b64: false }),
      ),
    'another type': withHeader({ typ: 'JWT' }),
    'no type': withHeader({ typ: undefined }),
    'the type of an identity token': withHeader({ typ: 'id_token+jwt' }),
    'another issuer': withClaims({ iss: 'https://elsewhere.test' }),
    'an issuer with a slash more': () => signToken(pair, claims({ iss: `${issuer.url}/` })),
    'an issuer in capitals': () => signToken(pair, claims({ iss: issuer.url.toUpperCase() })),
    'an issuer with more behind': () => signToken(pair, claims({ iss: `${issuer.url}.evil.test` })),
    'an issuer that is a list': () => signToken(pair, claims({ iss: [issuer.url] })),
    'no issuer': withClaims({ iss: undefined }),
    'another audience': withClaims({ aud: 'https://elsewhere.test' }),
    'an audience list without us': withClaims({ aud: ['a', 'b'] }),
    'an audience with a slash more': withClaims({ aud: `${AUDIENCE}/` }),
    'no audience': withClaims({ aud: undefined }),
    'no expiry': withClaims({ exp: undefined }),
    'an expiry in the past': withClaims({ exp: NOW - 3600, iat: NOW - 7000 }),
    'an expiry that is text': withClaims({ exp: String(NOW + 600) }),
    'an expiry that is no whole number': withClaims({ exp: NOW + 600.5 }),
    'a negative expiry': withClaims({ exp: -1 }),
    'an expiry beyond all numbers': () =>
      rewritten(1, JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e400'))(),
    'a lifetime that is too long': withClaims({ exp: NOW + 3600, iat: NOW - 1 }),
    'an expiry before it was issued': withClaims({ iat: NOW + 20, exp: NOW + 10 }),
    'no time of issue': withClaims({ iat: undefined }),
    'a time of issue that is text': withClaims({ iat: 'today' }),
    'a time of issue in the future': withClaims({ iat: NOW + 300 }),
    'a start in the future': withClaims({ nbf: NOW + 300 }),
    'a start that is text': withClaims({ nbf: 'soon' }),
    'no subject': withClaims({ sub: undefined }),
    'an empty subject': withClaims({ sub: '' }),
    'a subject that is no text': withClaims({ sub: 7 }),
    'a subject without end': withClaims({ sub: 'x'.repeat(201) }),
    'a tenant that does not exist': withClaims({ tenant: 'tenant_elsewhere' }),
    'no tenant where a claim names it': withClaims({ tenant: undefined }),
    'a tenant that is a list': withClaims({ tenant: ['tenant_default'] }),
    'claims that were changed': async () =>
      swap(await signToken(pair, claims()), 1, base64(claims({ sub: 'admin' }))),
    'a claim written twice': () => rewritten(1, JSON.stringify(claims()).replace('{', '{"sub":"admin",'))(),
    'a header member written twice': () =>
      rewritten(0, '{"alg":"none","alg":"ES256","typ":"at+jwt","kid":"key-1"}')(),
    'a header that is no object': () => rewritten(0, '[]')(),
    'claims that are no object': () => rewritten(1, '"robot"')(),
    'claims that are no JSON': () => rewritten(1, '{sub:1}')(),
    'bytes that are no UTF-8': async () =>
      swap(await signToken(pair, claims()), 1, Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')),
    'padding in a part': async () => `${await signToken(pair, claims())}=`,
    'a part too many': async () => `${await signToken(pair, claims())}.x`,
    'a part too few': async () => (await signToken(pair, claims())).split('.').slice(0, 2).join('.'),
    'encryption instead of a signature': () => `${base64({ alg: 'dir', enc: 'A128GCM' })}.a.b.c.d`,
    'a nested token': async () =>
      swap(await signToken(pair, claims()), 1, base64(await signToken(pair, claims()))),
    'a signature of another token': async () => {
      const [, , signature = ''] = (await signToken(pair, claims({ sub: 'other' }))).split('.');
      return swap(await signToken(pair, claims()), 2, signature);
    },
    'a signature cut short': async () => (await signToken(pair, claims())).slice(0, -4),
    'a signature of zeros': async () =>
      swap(await signToken(pair, claims()), 2, Buffer.alloc(64).toString('base64url')),
    'more than 8 KB': () => signToken(pair, claims({ noise: 'x'.repeat(9_000) })),
    'nothing in its parts': () => '..',
    ...badClaims({ pair: () => pair, claims }),
    ...badSpellings({ pair: () => pair, claims }),
  };

  it('[A-02] is tried in at least 80 ways', () => {
    expect(Object.keys(BAD).length).toBeGreaterThanOrEqual(80);
  });

  for (const [what, make] of Object.entries(BAD)) {
    it(what, async () => {
      const reads = issuer.asked.length;
      const { status, body, headers } = await call(await make());
      expect([status, (body['error'] as { code?: string }).code]).toEqual([401, 'unauthenticated']);
      const metadata = `resource_metadata="${gateway.url}/.well-known/oauth-protected-resource"`;
      const why = 'error="invalid_token", error_description="[ !#-[\\]-~]+"';
      expect(headers.get('www-authenticate')).toMatch(
        new RegExp(`^Bearer ${why}, ${metadata}, DPoP algs="[\\w ]+", ${metadata}$`),
      );
      // An unknown key id may ask the issuer once per cool-down; nothing else asks anybody.
      expect(issuer.asked.length - reads).toBeLessThanOrEqual(what === 'an unknown key id' ? 2 : 0);
    });
  }
});
