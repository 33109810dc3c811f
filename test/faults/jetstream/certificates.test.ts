import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { goodClaims, issuerRow } from '../../conformance/token-stage.ts';
import { fingerprint, selfSigned } from '../../harness/certificates.ts';
import { GrpcTestClient } from '../../harness/grpc-client.ts';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import {
  type SigningPair,
  signingPair,
  signToken,
  TokenIssuerPeer,
} from '../../harness/peers/token-issuer.ts';
import { freePorts } from '../../harness/round-robin.ts';
import { CERT, KEY } from '../../unit/surfaces/tls-fixture.ts';
import { killChildren } from '../child-processes.ts';
import { GatewayPlace, type GatewayProcess } from '../gateway-process.ts';

const LIMIT_MS = 120_000;
const THUMBPRINT = createHash('sha256').update(new X509Certificate(CERT).raw).digest('base64url');
const LOGINS = 5;

describe.skipIf(NATS_SERVER === undefined)(needsNats('clients of several nodes'), () => {
  let servers: NatsServers;
  let issuer: TokenIssuerPeer;
  let pair: SigningPair;
  let places: GatewayPlace[];
  const started: GatewayProcess[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'harn-certificates-'));
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(async () => {
    writeFileSync(files.cert, CERT);
    writeFileSync(files.key, KEY);
    servers = await NatsServers.start();
    issuer = await new TokenIssuerPeer().start();
    pair = await signingPair('key-1');
    issuer.publish(pair);
    places = [];
  });
  afterEach(async () => {
    // The gateways of its partitions end with a node that is told to, and a while behind one that is killed.
    await Promise.all(started.splice(0).map((node) => node.stop()));
    killChildren();
    await Promise.all([issuer.close(), servers.close()]);
    for (const place of places) place.remove();
  });

  function placeAt(port: number | undefined, partitions: number, server: object = {}): GatewayPlace {
    const log = { kind: 'jetstream', servers: servers.urls, name: 'certificates', replicas: 1 };
    const place = new GatewayPlace({
      server: {
        port,
        tls: { ...files, client_certificates: true },
        public_url: 'https://gateway.test',
        ...server,
      },
      store: { ...log, partitions, advertise: `https://127.0.0.1:${port}` },
      auth: { oauth: [issuerRow(issuer.url)] },
      limits: { failed_logins_per_minute: LOGINS },
    });
    place.env['NODE_EXTRA_CA_CERTS'] = files.cert;
    places.push(place);
    return place;
  }

  async function start(place: GatewayPlace): Promise<GatewayProcess> {
    const node = await place.start();
    started.push(node);
    return node;
  }

  const bound = () => {
    const iat = Math.floor(Date.now() / 1_000) - 10;
    return signToken(pair, goodClaims(issuer.url, { iat, exp: iat + 600, cnf: { 'x5t#S256': THUMBPRINT } }));
  };
  const get = async (port: number | undefined, path: string, token: string, from: object = {}) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'harn-agents-protocol-version': 'agents-protocol-2026-04-25',
    };
    const sent = request(`https://127.0.0.1:${port}${path}`, {
      ca: CERT,
      headers,
      agent: false,
      ...from,
    }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, text: (await answer.setEncoding('utf8').toArray()).join('') };
  };

  /** A token that is bound to a certificate is good with it alone, whichever node is asked. */
  async function expectBinding(port: number | undefined): Promise<void> {
    const token = await bound();
    const shown = await get(port, '/v1/sessions', token, { cert: CERT, key: KEY });
    expect(shown, shown.text).toMatchObject({ status: 200 });
    expect((await get(port, '/v1/sessions', token)).status).toBe(401);
    const metadata = await get(port, '/.well-known/oauth-protected-resource', token);
    expect(JSON.parse(metadata.text)).toMatchObject({ tls_client_certificate_bound_access_tokens: true });
  }

  it(
    'show their certificates to a node with several partitions',
    async () => {
      const [port] = await freePorts(1);
      await start(placeAt(port, 2));
      await expectBinding(port);
    },
    LIMIT_MS,
  );

  it(
    'show them to its port of gRPC, and get the certificates that a reload has read',
    async () => {
      const [port, grpcPort] = await freePorts(2);
      const place = placeAt(port, 2, { grpc: { port: grpcPort, tls: { client_ca: files.cert } } });
      const node = await start(place);
      const health = async (...pair: Buffer[]) => {
        const ca = Buffer.from(CERT);
        const client = new GrpcTestClient(
          `127.0.0.1:${grpcPort}`,
          undefined,
          '1.0',
          credentials.createSsl(ca, ...pair),
        );
        return client.raw('/grpc.health.v1.Health/Check', Buffer.alloc(0)).finally(() => client.close());
      };
      // status = SERVING
      expect([...(await health(Buffer.from(KEY), Buffer.from(CERT)))]).toEqual([8, 1]);
      await expect(health()).rejects.toMatchObject({ status: 'UNAVAILABLE' });
      const urls = [port, grpcPort].map((each) => `https://127.0.0.1:${each}`);
      const before = await Promise.all(urls.map(fingerprint));
      selfSigned(files.cert, files.key);
      node.child.process.kill('SIGHUP');
      for (const [at, url] of urls.entries())
        await expect.poll(() => fingerprint(url), { timeout: 20_000 }).not.toBe(before[at]);
    },
    LIMIT_MS,
  );

  it(
    'show them, and are known by their addresses, through a node that does not decide',
    async () => {
      const ports = await freePorts(2);
      const owner = await start(placeAt(ports[0], 1));
      await start(placeAt(ports[1], 1));
      expect(await owner.decides).toBe(true);
      for (const port of ports) await expectBinding(port);
      const guess = (localAddress: string) =>
        get(ports[1], '/v1/sessions', 'harn_live_nobody', { localAddress });
      for (let n = 0; n < LOGINS; n += 1) expect((await guess('127.0.0.2')).status).toBe(401);
      expect((await guess('127.0.0.2')).status).toBe(429);
      expect((await guess('127.0.0.3')).status).toBe(401);
    },
    LIMIT_MS,
  );
});
