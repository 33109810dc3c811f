import { OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

const AUDIENCE = 'https://gateway.test';

let issuer: OAuth2Server;
let gateway: TestGateway;

beforeAll(async () => {
  issuer = new OAuth2Server();
  await issuer.issuer.keys.generate('RS256');
  await issuer.start(0, '127.0.0.1');
  const url = issuer.issuer.url ?? '';
  gateway = await startTestGateway({
    config: {
      auth: { oauth: [{ issuer: url, audience: AUDIENCE, typ: 'JWT', claims: { actor: 'client' } }] },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await issuer.stop();
});

it('[EXT-OAU-02] the client credentials flow against a real issuer lets a client in, with the scopes it was granted', async () => {
  issuer.service.once('beforeTokenSigning', (token) => {
    Object.assign(token.payload, { aud: AUDIENCE, scope: 'sessions:read', client: 'robot' });
  });
  const answer = await fetch(`${issuer.issuer.url}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('robot:secret').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'sessions:read' }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const client = new TestClient(gateway.url, token);
  expect((await client.call('GET', '/v1/sessions')).status).toBe(200);
  expect((await client.call('POST', '/v1/sessions', { body: {} })).status).toBe(403);
  expect(gateway.logText()).not.toContain(token);
});
