import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { type SigningPair, signingPair, signToken, TokenIssuerPeer } from '../harness/peers/token-issuer.ts';
import { ask, clock, goodClaims, issuerRow, NOW, START_MS, time } from './token-stage.ts';

let issuer: TokenIssuerPeer;
let gone: TokenIssuerPeer;
let gateway: TestGateway;
let pair: SigningPair;
let other: SigningPair;

beforeAll(async () => {
  issuer = await new TokenIssuerPeer().start();
  gone = await new TokenIssuerPeer().start();
  await gone.close();
  pair = await signingPair('key-1');
  other = await signingPair('key-2');
  issuer.publish(pair);
  const oauth = [issuerRow(issuer.url), issuerRow(gone.url)];
  gateway = await startTestGateway({ clock, config: { auth: { oauth } } });
});
afterAll(async () => {
  await gateway.close();
  await issuer.close();
});
beforeEach(() => {
  time.ms = START_MS;
});

const token = (extra: Record<string, unknown> = {}, header: object = {}, signer = pair) =>
  signToken(signer, goodClaims(issuer.url, extra), header as never);

/** What is sent, the reason in the log, and words of the answer. */
const REFUSED: [what: string, make: () => Promise<string>, reason: string, words: string][] = [
  [
    'one for another audience',
    () => token({ aud: 'https://elsewhere.test' }),
    'wrong_audience',
    'for another audience',
  ],
  ['one that has expired', () => token({ iat: NOW - 200, exp: NOW - 100 }), 'expired', 'has expired'],
  ['one of tomorrow', () => token({ nbf: NOW + 86_000 }), 'not_yet_valid', 'not valid yet'],
  ['one that lives too long', () => token({ exp: NOW + 86_400 }), 'bad_lifetime', 'too far apart'],
  ['one with an unknown key', () => token({}, {}, other), 'unknown_key', 'does not publish'],
  [
    'one with a forged signature',
    () => token({}, { kid: 'key-1' }, other),
    'bad_signature',
    'does not verify',
  ],
  ['one of another type', () => token({}, { typ: 'JWT' }), 'wrong_type', 'typ of the access token'],
  [
    'one of an issuer nobody knows',
    () => token({ iss: 'https://elsewhere.test' }),
    'untrusted_issuer',
    'not trusted',
  ],
  ['one without a subject', () => token({ sub: undefined }), 'missing_claim', 'lacks a claim'],
  ['one of another tenant', () => token({ tenant: 'tenant_b' }), 'unknown_tenant', 'no tenant'],
  ['no token at all', async () => 'a.b.c', 'malformed_token', 'not a well-formed'],
  ['a key that nobody made', async () => 'harn_live_x_y', 'unknown_credential', 'no live key'],
];

describe('a refused credential', () => {
  it.each(REFUSED)(
    '[EXT-OAU-04] says why, to its sender and in the log: %s',
    async (_what, make, reason, words) => {
      const { status, headers, body } = await ask(gateway, await make());
      const asked = headers.get('www-authenticate') ?? '';
      expect([status, asked]).toEqual([
        401,
        expect.stringMatching(/^Bearer error="invalid_token", error_description="/),
      ]);
      expect(asked.split('"')[3]).toContain(words);
      expect(body['error']).toMatchObject({
        code: 'unauthenticated',
        message: expect.stringContaining(words),
      });
      const line = gateway
        .logText()
        .split('\n')
        .filter((text) => text.includes(`"reason":"${reason}"`));
      expect(line.some((text) => text.includes('"msg":"request"') && text.includes('"status":401'))).toBe(
        true,
      );
    },
  );

  it('tells the operator, not the sender, what was expected', async () => {
    const sent = await token({ aud: ['https://elsewhere.test', 'x'] });
    const { text, headers } = await ask(gateway, sent);
    expect(text + headers.get('www-authenticate')).not.toContain('gateway.test');
    const [line] = gateway
      .logText()
      .split('\n')
      .filter((one) => one.includes('elsewhere.test\\",\\"x'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      msg: 'an access token was refused',
      reason: 'wrong_audience',
      issuer: issuer.url,
      audience: '["https://elsewhere.test","x"]',
      expected: ['https://gateway.test'],
    });
    expect(gateway.logText()).not.toContain(sent);
  });

  it('is 503 when its issuer cannot be reached, which the log says', async () => {
    const { status } = await ask(gateway, await signToken(pair, goodClaims(gone.url)));
    expect(status).toBe(503);
    expect(gateway.logText()).toContain(`"reason":"issuer_unreachable","issuer":"${gone.url}"`);
  });

  it.each([undefined, 'Basic dXNlcjpwYXNz'])(
    'is not called one when none was sent: %s',
    async (authorization) => {
      const headers = { authorization };
      const answer = await gateway.client.call('GET', '/v1/sessions', { headers });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        expect.not.stringContaining('error='),
      ]);
    },
  );

  it.each([
    ['GET', '/v1/sessions'],
    ['GET', '/v1/events/stream'],
    ['GET', '/metrics'],
    ['POST', '/mcp'],
    ['POST', '/mcp/files'],
    ['POST', '/a2a'],
    ['GET', '/a2a/tasks'],
    ['GET', '/v1/ws'],
    ['GET', '/acp'],
  ])('[EXT-OAU-04] is answered on every face with where the metadata is: %s %s', async (method, path) => {
    const upgrade = path === '/v1/ws' || path === '/acp';
    const answer = upgrade
      ? await upgradeOf(path)
      : await gateway.client.call(method, path, { headers: { authorization: 'Bearer wrong' } });
    expect(answer.status).toBe(401);
    const asked = answer.headers.get('www-authenticate') ?? '';
    const metadata = `${gateway.url}/.well-known/oauth-protected-resource`;
    expect(asked).toMatch(/^Bearer error="invalid_token"/);
    expect(asked.split(`resource_metadata="${metadata}"`)).toHaveLength(3);
    expect((await fetch(metadata)).status).toBe(200);
  });

  it('names the metadata also where an agent sends the token of a server on the machine of an editor', async () => {
    const answer = await gateway.client.call('POST', '/acp/mcp/nobody', { body: {} });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining(`resource_metadata="${gateway.url}/.well-known/oauth-protected-resource"`),
    ]);
  });
});

async function upgradeOf(path: string): Promise<{ status: number; headers: Headers }> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: 'Bearer wrong',
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    };
    const sent = request(gateway.url + path, { headers }, ({ statusCode = 0, rawHeaders }) => {
      const received = new Headers();
      for (let at = 0; at < rawHeaders.length; at += 2)
        received.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
      resolve({ status: statusCode, headers: received });
    });
    sent.on('error', reject).end();
  });
}

describe('the metadata of the gateway as a protected resource', () => {
  const metadataOf = async (rows: object[], path = '') => {
    const own = await startTestGateway({ config: { auth: { oauth: rows } } });
    const answer = await fetch(`${own.url}/.well-known/oauth-protected-resource${path}`);
    const metadata = (await answer.json()) as Record<string, unknown>;
    await own.close();
    return { metadata, url: own.url };
  };

  it('[EXT-OAU-05] names the configured audience, the issuers, and the scopes that they may grant', async () => {
    const { metadata } = await metadataOf([
      issuerRow(issuer.url, { scopes: ['tasks:read', 'admin', 'operator', '*'] }),
    ]);
    expect(metadata).toMatchObject({ resource: 'https://gateway.test', authorization_servers: [issuer.url] });
    const scopes = metadata['scopes_supported'] as string[];
    expect(scopes).toEqual(expect.arrayContaining(['tasks:read', 'tasks:write', 'sessions:read']));
    for (const unadvertised of ['*', 'admin', 'operator']) expect(scopes).not.toContain(unadvertised);
  });

  it('is the same where clients look that know the URL of /mcp alone', async () => {
    const { metadata } = await metadataOf([issuerRow(issuer.url)], '/mcp');
    expect(metadata['resource']).toBe('https://gateway.test');
  });

  it('without an issuer names the gateway itself, and no list that would be empty', async () => {
    const { metadata, url } = await metadataOf([]);
    expect(metadata).toEqual({
      resource: url,
      resource_name: 'harn-gateway',
      bearer_methods_supported: ['header'],
    });
  });
});
