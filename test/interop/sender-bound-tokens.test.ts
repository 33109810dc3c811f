import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client,
  DpopSession,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
  withDpop,
} from '@modelcontextprotocol/client';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { mcpServers } from '../harness/mcp-servers.ts';
import { type SigningPair, signingPair, signToken, TokenIssuerPeer } from '../harness/peers/token-issuer.ts';
import { WsTestClient } from '../harness/ws-client.ts';

const PUBLIC_URL = 'https://gateway.test';
const AUDIENCE = `${PUBLIC_URL}/`;
const VERSION = { 'harn-agents-protocol-version': 'agents-protocol-2026-04-25' };

type KeyPair = Awaited<ReturnType<typeof oauth.generateKeyPair>>;

let issuer: TokenIssuerPeer;
let gateway: TestGateway;
let pair: SigningPair;
/** The key pair of a client, as its SDK makes it. */
let clientKeys: KeyPair;
let jkt: string;

beforeAll(async () => {
  issuer = await new TokenIssuerPeer().start();
  pair = await signingPair('key-1');
  issuer.publish(pair);
  const oauthRow = { issuer: issuer.url, audience: AUDIENCE, scopes: ['sessions:read', 'events:read'] };
  gateway = await startTestGateway({
    config: { server: { port: 0, public_url: PUBLIC_URL }, auth: { oauth: [oauthRow] } },
  });
  clientKeys = await oauth.generateKeyPair('ES256', { extractable: true });
  jkt = await calculateJwkThumbprint(await exportJWK(clientKeys.publicKey));
});
afterAll(async () => {
  await gateway.close();
  await issuer.close();
});

const now = () => Math.floor(Date.now() / 1000);
const tokenWith = (cnf: object | undefined, extra: object = {}) => {
  const claims = { iss: issuer.url, aud: AUDIENCE, sub: 'robot', scope: 'sessions:read events:read' };
  return signToken(pair, { ...claims, iat: now(), exp: now() + 600, ...(cnf ? { cnf } : {}), ...extra });
};

/** What a client's SDK sends to the public name arrives at the port that is listened on. */
const toGateway: typeof fetch = (input, init) =>
  fetch(String(input).replace(PUBLIC_URL, gateway.url), { ...init, duplex: 'half' } as RequestInit);
const withSdk = { [oauth.customFetch]: toGateway as never };

/** A request with a proof that was written by hand. */
async function send(token: string, dpop: string | undefined, scheme = 'DPoP', path = '/v1/sessions') {
  const headers = { authorization: `${scheme} ${token}`, ...VERSION, ...(dpop ? { dpop } : {}) };
  const answer = await fetch(gateway.url + path, { headers });
  const { error } = (await answer.json()) as { error?: { code: string } };
  const asked = answer.headers.get('www-authenticate') ?? '';
  return { status: answer.status, code: error?.code, asked };
}

const until = async (condition: () => Promise<boolean>) => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
};

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

async function proof(token: string, claims: object = {}, header: object = {}, keys = clientKeys) {
  const jwk = await exportJWK(keys.publicKey);
  const good = {
    jti: randomUUID(),
    htm: 'GET',
    htu: `${gateway.url}/v1/sessions`,
    iat: now(),
    ath: hash(token),
  };
  return new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
    .sign(keys.privateKey);
}

describe('an access token that is bound to a key (RFC 9449)', () => {
  it('[EXT-OAU-03] lets in the client that has the key, with the proofs of its SDK, each for one request', async () => {
    const handle = oauth.DPoP({}, clientKeys);
    const token = await tokenWith({ jkt });
    for (let request = 0; request < 3; request += 1) {
      const url = new URL(`${PUBLIC_URL}/v1/sessions?limit=1`);
      const options = { DPoP: handle, ...withSdk };
      const headers = new Headers(VERSION);
      const answer = await oauth.protectedResourceRequest(token, 'GET', url, headers, null, options);
      expect(answer.status).toBe(200);
    }
  });

  it('finds out from the metadata of the gateway, which its SDK believes, that proofs are taken, and how they are signed', async () => {
    const answer = await oauth.resourceDiscoveryRequest(new URL(AUDIENCE), withSdk);
    const metadata = await oauth.processResourceDiscoveryResponse(new URL(AUDIENCE), answer);
    expect(metadata).toEqual({
      resource: AUDIENCE,
      resource_name: 'harn-gateway',
      bearer_methods_supported: ['header'],
      authorization_servers: [issuer.url],
      scopes_supported: ['sessions:read', 'events:read'],
      dpop_signing_alg_values_supported: expect.arrayContaining(['ES256', 'EdDSA', 'RS256']),
      dpop_bound_access_tokens_required: false,
      tls_client_certificate_bound_access_tokens: false,
    });
  });

  it('is refused as a bearer token, without a proof, and with the proof of another key', async () => {
    const token = await tokenWith({ jkt });
    const bearer = await send(token, undefined, 'Bearer');
    expect(bearer).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(bearer.asked).toMatch(/^Bearer error="invalid_token", error_description="[^"]*scheme DPoP/);
    expect((await send(token, await proof(token), 'Bearer')).status).toBe(401);
    const bare = await send(token, undefined);
    expect(bare.asked).toMatch(/DPoP error="invalid_dpop_proof", error_description="[^"]*missing/);
    const others = await oauth.generateKeyPair('ES256', { extractable: true });
    const stolen = await send(token, await proof(token, {}, {}, others));
    expect(stolen.asked).toContain('of another key');
  });

  it('is refused in challenges that the SDK of a client reads', async () => {
    const handle = oauth.DPoP({}, await oauth.generateKeyPair('ES256'));
    const url = new URL(`${PUBLIC_URL}/v1/sessions`);
    const options = { DPoP: handle, ...withSdk };
    const token = await tokenWith({ jkt });
    const asked = oauth.protectedResourceRequest(token, 'GET', url, new Headers(VERSION), null, options);
    const error = await asked.catch((thrown: unknown) => thrown);
    const resource_metadata = `${PUBLIC_URL}/.well-known/oauth-protected-resource`;
    expect(error).toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
    expect((error as oauth.WWWAuthenticateChallengeError).cause).toMatchObject([
      { scheme: 'bearer', parameters: { resource_metadata } },
      { scheme: 'dpop', parameters: { error: 'invalid_dpop_proof', resource_metadata } },
    ]);
  });

  it('is not a reason to believe a proof for a token that is not bound, or a key that is no token', async () => {
    const token = await tokenWith(undefined);
    expect((await send(token, undefined, 'Bearer')).status).toBe(200);
    const unbound = await send(token, await proof(token));
    expect(unbound.asked).toMatch(/DPoP error="invalid_token", error_description="[^"]*scheme Bearer/);
    const { key } = gateway.client;
    expect((await send(key, await proof(key))).status).toBe(401);
  });

  it('[EXT-OAU-03] is refused with a proof that was used before', async () => {
    const token = await tokenWith({ jkt });
    const dpop = await proof(token);
    expect((await send(token, dpop)).status).toBe(200);
    const again = await send(token, dpop);
    expect([again.status, again.asked]).toEqual([401, expect.stringContaining('was used before')]);
    const [first, second] = await Promise.all(
      [await proof(token, { jti: 'twice' }), await proof(token, { jti: 'twice' })].map((one) =>
        send(token, one),
      ),
    );
    expect([first?.status, second?.status].sort()).toEqual([200, 401]);
  });

  it.each<[string, object, object, number, string]>([
    ['of a method in small letters', { htm: 'get' }, {}, 401, 'another method'],
    ['of another method', { htm: 'POST' }, {}, 401, 'another method'],
    ['of another path', { htu: `${PUBLIC_URL}/v1/tasks` }, {}, 401, 'another URL'],
    ['of another host', { htu: 'https://elsewhere.test/v1/sessions' }, {}, 401, 'another URL'],
    ['of the other scheme', { htu: 'http://gateway.test/v1/sessions' }, {}, 401, 'another URL'],
    ['of no URL', { htu: '/v1/sessions' }, {}, 401, 'another URL'],
    ['of the public URL', { htu: `${PUBLIC_URL}/v1/sessions` }, {}, 200, ''],
    [
      'with a query and another spelling',
      { htu: 'HTTPS://Gateway.test:443/v1/%73essions?a=1#b' },
      {},
      200,
      '',
    ],
    ['of a minute ago', { iat: now() - 60 }, {}, 200, ''],
    ['of two minutes ago', { iat: now() - 120 }, {}, 401, 'too old'],
    ['of the future', { iat: now() + 120 }, {}, 401, 'future'],
    ['with a time that is text', { iat: String(now()) }, {}, 401, 'well-formed'],
    ['without a time', { iat: undefined }, {}, 401, 'well-formed'],
    ['without an id', { jti: undefined }, {}, 401, 'well-formed'],
    ['with an id without end', { jti: 'x'.repeat(300) }, {}, 401, 'well-formed'],
    ['without the token', { ath: undefined }, {}, 401, 'well-formed'],
    ['of another token', { ath: hash('another') }, {}, 401, 'another access token'],
    ['of another type', {}, { typ: 'JWT' }, 401, 'well-formed'],
    ['without a key', {}, { jwk: undefined }, 401, 'well-formed'],
    ['with a key that is no object', {}, { jwk: [] }, 401, 'well-formed'],
  ])('judges a proof %s', async (_what, claims, header, status, why) => {
    const token = await tokenWith({ jkt });
    const answer = await send(token, await proof(token, claims, header));
    expect([answer.status, answer.asked]).toEqual([status, expect.stringContaining(why)]);
  });

  it('is refused with a proof that publishes the private key, is not signed, or is no single JWT', async () => {
    const token = await tokenWith({ jkt });
    const jwk = await exportJWK(clientKeys.privateKey);
    expect((await send(token, await proof(token, {}, { jwk }))).asked).toContain('well-formed');
    const good = await proof(token);
    const [head = '', body = '', signature = ''] = good.split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'dpop+jwt', jwk: {} })).toString('base64url');
    expect((await send(token, `${none}.${body}.${signature}`)).asked).toContain('algorithm');
    const zeros = Buffer.alloc(64).toString('base64url');
    expect((await send(token, `${head}.${body}.${zeros}`)).asked).toContain('signature of the DPoP proof');
    for (const text of ['', 'x', `${head}.${body}`, `${good}, ${good}`, '..', `${good}=`])
      expect((await send(token, text || ' ')).status).toBe(401);
    expect((await send(token, good)).status).toBe(200);
  });

  it('with a proof by RSA, of which the key is the one of the token', async () => {
    const rsa = await generateKeyPair('RS256', { extractable: true });
    const jwk = await exportJWK(rsa.publicKey);
    const token = await tokenWith({ jkt: await calculateJwkThumbprint(jwk) });
    expect((await send(token, await proof(token, {}, { alg: 'RS256' }, rsa))).status).toBe(200);
  });

  it('opens a WebSocket with one proof, for as long as it is open', async () => {
    const token = await tokenWith({ jkt });
    const path = '/v1/events/stream';
    const open = async (claims: object) => {
      const dpop = await proof(token, { htu: `${gateway.url}${path}`.replace('http', 'ws'), ...claims });
      const headers = { authorization: `DPoP ${token}`, dpop, ...VERSION };
      return WsTestClient.open(gateway.url, path, { headers, bare: true });
    };
    const socket = await open({});
    await gateway.tidy();
    socket.socket.close();
    await expect(open({ htm: 'POST' })).rejects.toThrow(/401/);
  });

  it('reads the metrics and a face of another protocol with its proofs too', async () => {
    const token = await tokenWith({ jkt });
    const metrics = await send(
      token,
      await proof(token, { htu: `${gateway.url}/metrics` }),
      'DPoP',
      '/metrics',
    );
    expect([metrics.status, metrics.code]).toEqual([403, 'permission_denied']);
    const headers = { authorization: `DPoP ${token}`, 'content-type': 'application/json' };
    const post = async (dpop: string) =>
      fetch(`${gateway.url}/mcp`, { method: 'POST', headers: { ...headers, dpop }, body: '{}' });
    const claims = { htm: 'POST', htu: `${gateway.url}/mcp` };
    expect((await post(await proof(token, claims))).status).toBe(400);
    expect((await post(await proof(token))).status).toBe(401);
  });

  it('leaves a line in the log for every refusal, with its reason and without the token', async () => {
    const token = await tokenWith({ jkt });
    const dpop = await proof(token);
    await send(token, dpop);
    await send(token, dpop);
    const lines = gateway
      .logText()
      .split('\n')
      .filter((line) => line.includes('"reason":"proof_replayed"'));
    expect(lines.at(-1)).toMatch(/"status":401.*"error_code":"unauthenticated"/);
    for (const secret of [token, dpop]) expect(gateway.logText()).not.toContain(secret);
  });
});

describe('a client of MCP whose SDK makes the proofs', () => {
  it.each(['legacy', 'auto'] as const)(
    'calls a tool at /mcp with a token bound to its key: %s',
    async (mode) => {
      const root = mkdtempSync(join(tmpdir(), 'harn-bound-'));
      writeFileSync(join(root, 'note.txt'), 'from the file');
      const files = { id: 'files', command: mcpServers.filesystem(root) };
      const row = { issuer: issuer.url, audience: AUDIENCE };
      const own = await startTestGateway({
        config: { upstreams: { a2a: [], mcp: [files] }, auth: { oauth: [row] } },
      });
      const session = await DpopSession.create();
      const token = await tokenWith({ jkt: session.thumbprint }, { scope: '*' });
      const url = new URL(`${own.url}/mcp`);
      const signed = withDpop(session, () => token)((input, init) => fetch(input, init));
      const client = new Client({ name: 'bound', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(url, { fetch: signed }));
      const call = { name: 'files__read_text_file', arguments: { path: join(root, 'note.txt') } };
      await until(async () => (await client.listTools()).tools.some(({ name }) => name === call.name));
      expect(await client.callTool(call)).toMatchObject({ structuredContent: { content: 'from the file' } });
      await client.close();
      const stranger = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
      expect(extractWWWAuthenticateParams(stranger)).toMatchObject({
        resourceMetadataUrl: new URL(`${own.url}/.well-known/oauth-protected-resource`),
        error: 'invalid_token',
      });
      await own.close();
      rmSync(root, { recursive: true, force: true });
    },
  );
});

describe('an access token that is bound in another way', () => {
  it.each([
    ['a certificate that the connection does not show', { 'x5t#S256': hash('a certificate') }, 'certificate'],
    ['a way that is not known', { kid: 'k' }, 'not supported'],
    ['a key and a way that is not known', { jkt: hash('k'), jwk: {} }, 'not supported'],
    ['nothing', {}, 'not supported'],
    ['a thumbprint that is none', { jkt: 7 }, 'not supported'],
    ['a thumbprint in another spelling', { jkt: `${hash('k')}=` }, 'not supported'],
  ])('is refused: %s', async (_what, cnf, why) => {
    const answer = await send(await tokenWith(cnf), undefined, 'Bearer');
    expect([answer.status, answer.asked]).toEqual([401, expect.stringContaining(why)]);
  });

  it.each(['text', null, ['a']])('is refused: cnf that is %j', async (cnf) => {
    const answer = await send(await tokenWith(undefined, { cnf }), undefined, 'Bearer');
    expect([answer.status, answer.asked]).toEqual([401, expect.stringContaining('not supported')]);
  });
});
