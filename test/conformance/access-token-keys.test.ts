import { createSign, generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { type SigningPair, signingPair, signToken, TokenIssuerPeer } from '../harness/peers/token-issuer.ts';
import { WsTestClient } from '../harness/ws-client.ts';
import { ask, clock, goodClaims, issuerRow, START_MS, time } from './token-stage.ts';

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('the keys of an issuer', () => {
  let peer: TokenIssuerPeer;
  let own: TestGateway;
  let pair: SigningPair;

  beforeEach(async () => {
    time.ms = START_MS;
    pair = await signingPair('key-1');
  });

  const tokenOf = (signer: SigningPair, extra: Record<string, unknown> = {}) =>
    signToken(
      signer,
      goodClaims(peer.url, {
        iat: Math.floor(time.ms / 1000),
        exp: Math.floor(time.ms / 1000) + 3000,
        ...extra,
      }),
    );
  const statusOf = async (token: string) => (await ask(own, token)).status;

  async function withIssuer(
    test: () => Promise<void>,
    extra: object = {},
    options: Parameters<typeof startTestGateway>[0] = {},
    /** What the issuer says when the gateway starts, which looks at it at once. */
    state: Partial<TokenIssuerPeer['state']> = {},
  ): Promise<void> {
    peer = await new TokenIssuerPeer().start();
    peer.publish(pair);
    Object.assign(peer.state, state);
    own = await startTestGateway({
      clock,
      ...options,
      config: { auth: { oauth: [issuerRow(peer.url, extra)] } },
    });
    try {
      await test();
    } finally {
      await own.close();
      await peer.close();
    }
  }

  it('that rotate are found by a new key id, and an old one goes with its next reading', () =>
    withIssuer(async () => {
      const next = await signingPair('key-2');
      const old = await tokenOf(pair);
      expect(await statusOf(old)).toBe(200);
      peer.publish(next);
      time.ms += 31_000;
      expect(await statusOf(await tokenOf(next))).toBe(200);
      expect(await statusOf(old)).toBe(401);
    }));

  it('that rotate leave an open socket its caller while they have the old one, and close it without', () =>
    withIssuer(async () => {
      const next = await signingPair('key-2');
      const rotated = async (...pairs: SigningPair[]) => {
        peer.publish(...pairs);
        time.ms += 31_000;
        // A key id that is not known makes the gateway read the keys again.
        await statusOf(await tokenOf({ ...pair, kid: `unknown-${time.ms}` }));
      };
      const key = await tokenOf(pair, { scope: 'sessions:read sessions:write messages:write events:read' });
      const { id } = await new TestClient(own.url, key).session();
      const socket = await WsTestClient.open(own.url, '/v1/ws', { key });
      const message = { role: 'user', parts: [{ type: 'text', text: 'Hi', visibility: 'public' }] };
      const says = async (n: string) =>
        (await socket.ask({ type: 'user_message', id: n, session_id: id, message })).type;
      expect(await says('1')).toBe('ack');
      await rotated(pair, next);
      expect(await says('2')).toBe('ack');
      await rotated(next);
      expect(await says('3')).toBe('error');
      await own.tidy();
      expect((await socket.closed).code).toBe(4401);
    }));

  it('serve for an hour of outage, then nobody is let in, and nobody is called a stranger', () =>
    withIssuer(async () => {
      const token = await tokenOf(pair);
      expect(await statusOf(token)).toBe(200);
      peer.state.status = 500;
      time.ms += 15 * 60_000;
      expect(await statusOf(token)).toBe(200);
      expect(await statusOf(await tokenOf(pair, { sub: 'second' }))).toBe(200);
      time.ms += 46 * 60_000;
      expect(await statusOf(await tokenOf(pair, { sub: 'third' }))).toBe(503);
      peer.state.status = 200;
      time.ms += 31_000;
      expect(await statusOf(await tokenOf(pair, { sub: 'fourth' }))).toBe(200);
    }));

  it('[X-01] are not looked for where the metadata leads to a private address', async () => {
    const asked: string[] = [];
    const resolveHost = async (name: string) => {
      asked.push(name);
      return ['10.1.2.3'];
    };
    const test = async () => {
      expect(await statusOf(await tokenOf(pair))).toBe(503);
      expect(asked).toEqual(['keys.example']);
      expect(own.logText()).toContain('leads to an address that is not public');
      expect(own.logText()).not.toContain('10.1.2.3');
    };
    await withIssuer(test, {}, { resolveHost }, { jwksUri: 'https://keys.example/jwks' });
  });

  it('that were never read are 503 with Retry-After, and work as soon as the issuer does', async () => {
    const test = async () => {
      const answer = await ask(own, await tokenOf(pair));
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      peer.state.status = 200;
      time.ms += 6_000;
      expect(await statusOf(await tokenOf(pair))).toBe(200);
    };
    await withIssuer(test, {}, {}, { status: 500 });
  });

  it('are looked at by the start and until they are reached, and /ready says so meanwhile', async () => {
    const ready = async () => (await fetch(`${own.url}/ready`)).json() as Promise<Record<string, unknown>>;
    const test = async () => {
      await until(() => own.logText().includes('the keys of a token issuer could not be read'));
      expect(await ready()).toEqual({
        ok: true,
        status: 'ready',
        reason: expect.stringContaining('never been reached'),
        details: { issuers_never_reached: [peer.url] },
      });
      peer.state.status = 200;
      time.ms += 31_000;
      await own.tidy();
      await until(() => own.logText().includes('the keys of a token issuer were read'));
      expect(await ready()).toMatchObject({ ok: true, reason: null, details: {} });
      peer.state.status = 500;
      time.ms += 31_000;
      await own.tidy();
      expect(await ready()).toMatchObject({ reason: null });
    };
    await withIssuer(test, {}, {}, { status: 500 });
  });

  it('are read at most once per cool-down, however many unknown ids are sent', () =>
    withIssuer(async () => {
      expect(await statusOf(await tokenOf(pair))).toBe(200);
      time.ms += 31_000;
      const stranger = await signingPair('none');
      for (let n = 0; n < 50; n += 1) {
        const token = await signToken({ ...stranger, kid: `unknown-${n}` }, goodClaims(peer.url));
        expect(await statusOf(token)).toBe(401);
      }
      expect(peer.reads).toBe(2);
    }));

  const weak = (() => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    return {
      jwk: { ...(publicKey.export({ format: 'jwk' }) as JWK), kid: 'key-1', alg: 'RS256' },
      privateKey,
    };
  })();

  const BROKEN: Record<string, () => Partial<TokenIssuerPeer['state']>> = {
    'a page instead of keys': () => ({ body: '<html></html>' }),
    'no list of keys': () => ({ jwks: { key: [] } }),
    'an empty list': () => ({ jwks: { keys: [] } }),
    'ten megabytes': () => ({ body: JSON.stringify({ keys: [], pad: 'x'.repeat(10_000_000) }) }),
    'a redirect': () => ({ status: 302 }),
    'a published private key': () => ({ jwks: { keys: [{ ...pair.jwk, d: 'AAAA' }] } }),
    'a shared secret': () => ({ jwks: { keys: [{ kty: 'oct', k: 'AAAA', kid: 'key-1' }] } }),
  };
  for (const [what, broken] of Object.entries(BROKEN)) {
    it(`that come as ${what} are no keys: 503`, () =>
      withIssuer(async () => expect(await statusOf(await tokenOf(pair))).toBe(503), {}, {}, broken()));
  }

  it('of RSA below 2,048 bits verify nothing', async () => {
    const test = async () => {
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const signed = `${encode({ alg: 'RS256', typ: 'at+jwt', kid: 'key-1' })}.${encode(goodClaims(peer.url))}`;
      const token = `${signed}.${createSign('RSA-SHA256').update(signed).sign(weak.privateKey, 'base64url')}`;
      expect(await statusOf(token)).toBe(401);
    };
    await withIssuer(test, {}, {}, { jwks: { keys: [weak.jwk] } });
  });

  it('may be capped in what they grant', () =>
    withIssuer(
      async () => {
        expect(await statusOf(await tokenOf(pair, { scope: '*' }))).toBe(403);
        expect((await ask(own, await tokenOf(pair, { scope: '*' }), '/v1/workspaces')).status).toBe(200);
      },
      { scopes: ['workspaces:read'] },
    ));
});
