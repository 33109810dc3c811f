import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clock, goodClaims, issuerRow, START_MS, time } from '../conformance/token-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { type SigningPair, signingPair, signToken, TokenIssuerPeer } from '../harness/peers/token-issuer.ts';
import { CERT, KEY } from '../unit/surfaces/tls-fixture.ts';

let issuer: TokenIssuerPeer;
let pair: SigningPair;
const dir = mkdtempSync(join(tmpdir(), 'harn-tls-'));
const files = { cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') };

beforeAll(async () => {
  writeFileSync(files.cert, CERT);
  writeFileSync(files.key, KEY);
  issuer = await new TokenIssuerPeer().start();
  pair = await signingPair('key-1');
  issuer.publish(pair);
});
afterAll(async () => {
  await issuer.close();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => {
  time.ms = START_MS;
});

const THUMBPRINT = createHash('sha256').update(new X509Certificate(CERT).raw).digest('base64url');
const VERSION = { 'harn-agents-protocol-version': 'agents-protocol-2026-04-25' };

function get(gateway: TestGateway, path: string, token: string, client: { cert?: string; key?: string }) {
  return new Promise<{ status: number; text: string; asked: string }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...VERSION };
    const sent = request(
      `${gateway.url}${path}`,
      { ca: CERT, headers, agent: false, ...client },
      (answer) => {
        let text = '';
        answer.on('data', (chunk) => {
          text += String(chunk);
        });
        const asked = String(answer.headers['www-authenticate'] ?? '');
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, asked }));
      },
    );
    sent.on('error', reject).end();
  });
}

const start = (tls: object) =>
  startTestGateway({
    clock,
    config: { server: { port: 0, tls: { ...files, ...tls } }, auth: { oauth: [issuerRow(issuer.url)] } },
  });

describe('an access token that is bound to a client certificate (RFC 8705)', () => {
  it('[EXT-OAU-06] lets in over the connection that shows the certificate, and over no other', async () => {
    const gateway = await start({ client_certificates: true });
    const token = (print: string) => signToken(pair, goodClaims(issuer.url, { cnf: { 'x5t#S256': print } }));
    const bound = await token(THUMBPRINT);
    expect(await get(gateway, '/v1/sessions', bound, { cert: CERT, key: KEY })).toMatchObject({
      status: 200,
    });
    const bare = await get(gateway, '/v1/sessions', bound, {});
    expect([bare.status, bare.asked]).toEqual([401, expect.stringContaining('client certificate')]);
    const foreign = await token(createHash('sha256').update('another').digest('base64url'));
    expect((await get(gateway, '/v1/sessions', foreign, { cert: CERT, key: KEY })).status).toBe(401);
    const unbound = await signToken(pair, goodClaims(issuer.url));
    expect((await get(gateway, '/v1/sessions', unbound, {})).status).toBe(200);
    const metadata = await get(gateway, '/.well-known/oauth-protected-resource', unbound, {});
    expect(JSON.parse(metadata.text)).toMatchObject({ tls_client_certificate_bound_access_tokens: true });
    await gateway.close();
  });

  it('lets nobody in where certificates are not asked for, and the metadata says so', async () => {
    const gateway = await start({});
    const claims = goodClaims(issuer.url, { cnf: { 'x5t#S256': THUMBPRINT } });
    const answer = await get(gateway, '/v1/sessions', await signToken(pair, claims), {
      cert: CERT,
      key: KEY,
    });
    expect(answer.status).toBe(401);
    const metadata = await get(gateway, '/.well-known/oauth-protected-resource', 'x', {});
    expect(JSON.parse(metadata.text)).toMatchObject({ tls_client_certificate_bound_access_tokens: false });
    await gateway.close();
  });
});
