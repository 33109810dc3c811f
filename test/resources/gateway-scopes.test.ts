import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stageOf } from '../conformance/stage.ts';
import { clock, goodClaims, issuerRow, START_MS, time } from '../conformance/token-stage.ts';
import { TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { type SigningPair, signingPair, signToken, TokenIssuerPeer } from '../harness/peers/token-issuer.ts';

const KEYS = '/v1/admin/signing-keys';

/** Statuses of listing the signing keys, rotating them, and reading the metrics. */
async function powers(client: TestClient): Promise<number[]> {
  const asked = [
    await client.call('GET', KEYS),
    await client.call('POST', KEYS),
    await client.call('GET', '/metrics'),
  ];
  return asked.map(({ status }) => status);
}

describe('the scopes of the gateway itself', () => {
  const stage = stageOf({
    keys: [
      { actor: 'warden', scopes: ['admin'] },
      { actor: 'scraper', scopes: ['metrics:read'] },
      { actor: 'operator', scopes: ['operator'] },
      { actor: 'everything', scopes: ['*'] },
    ],
  });
  const made = async (scopes: string[], maker = stage.client) => {
    const body = { name: 'made', actor: `by-${scopes.join('-')}`, scopes, workspaces: ['workspace_default'] };
    return maker.call<{ key: string; error: { param: string } }>('POST', '/v1/admin/api-keys', { body });
  };

  it.each([
    ['warden', [403, 403, 403]],
    ['scraper', [403, 403, 200]],
    ['operator', [200, 201, 200]],
    ['everything', [200, 201, 200]],
  ])('a configured key %s may list, rotate and measure: %j', async (actor, statuses) => {
    expect(await powers(stage.as(actor))).toEqual(statuses);
  });

  it('are named by the refusal', async () => {
    const { body } = await stage.as('warden').call('POST', KEYS);
    expect(body['error']).toMatchObject({ details: { required_scope: 'operator' } });
    const metrics = await stage.as('warden').call('GET', '/metrics');
    expect(metrics.body['error']).toMatchObject({ details: { required_scope: 'metrics:read' } });
  });

  it('are not in the * of a key made at run time, which grants neither of them', async () => {
    const { body, status } = await made(['*']);
    expect(status).toBe(201);
    const tenantAdmin = new TestClient(stage.gateway.url, body.key);
    expect((await tenantAdmin.call('GET', '/v1/admin/api-keys')).status).toBe(200);
    expect(await powers(tenantAdmin)).toEqual([403, 403, 403]);
    for (const scope of ['operator', 'metrics:read']) {
      const refused = await made([scope], tenantAdmin);
      expect([refused.status, refused.body.error.param]).toEqual([403, 'scopes[0]']);
    }
  });

  it('are in a key made at run time that names them, by one who holds them', async () => {
    const { body } = await made(['operator']);
    expect(await powers(new TestClient(stage.gateway.url, body.key))).toEqual([200, 201, 200]);
  });
});

describe('the scopes of the gateway itself in an access token', () => {
  let issuer: TokenIssuerPeer;
  let pair: SigningPair;
  beforeAll(async () => {
    issuer = await new TokenIssuerPeer().start();
    pair = await signingPair('key-1');
    issuer.publish(pair);
  });
  afterAll(() => issuer.close());
  beforeEach(() => {
    time.ms = START_MS;
  });

  it.each([
    [['*'], '*', [403, 403, 403]],
    [['*'], 'operator metrics:read', [403, 403, 403]],
    [['*', 'operator'], '*', [403, 403, 403]],
    [['operator', 'admin'], '*', [403, 403, 403]],
    [['*', 'operator'], 'operator', [200, 201, 200]],
    [['operator', 'admin'], '* operator', [200, 201, 200]],
    [['*', 'metrics:read'], '* metrics:read', [403, 403, 200]],
  ])('of an issuer that may grant %j, which says "%s": %j', async (scopes, scope, statuses) => {
    const config = { auth: { oauth: [issuerRow(issuer.url, { scopes })] } };
    const gateway = await startTestGateway({ clock, config });
    const token = await signToken(pair, goodClaims(issuer.url, { scope }));
    expect(await powers(new TestClient(gateway.url, token))).toEqual(statuses);
    await gateway.close();
  });
});

describe('the development key', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ config: { auth: {} } });
  });
  afterAll(() => gateway.close());

  it('is the operator', async () => {
    const key = readFileSync(`${gateway.data}/dev-api-key`, 'utf8').trim();
    expect(await powers(new TestClient(gateway.url, key))).toEqual([200, 201, 200]);
  });
});
