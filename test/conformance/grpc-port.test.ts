import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { GrpcTestClient, grpcAddress } from '../harness/grpc-client.ts';
import { startGrpcAgent } from '../harness/peers/grpc-agent.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { type SigningPair, signingPair, signToken, TokenIssuerPeer } from '../harness/peers/token-issuer.ts';
import { CERT, KEY } from '../unit/surfaces/tls-fixture.ts';
import { badClaims, badSpellings } from './bad-tokens.ts';
import { clock, goodClaims, issuerRow, START_MS, time } from './token-stage.ts';

const REQUEST: JsonObject = {
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'one' }] },
  configuration: { returnImmediately: true },
};

describe('TLS of gRPC', () => {
  const folder = mkdtempSync(join(tmpdir(), 'harn-grpc-tls-'));
  const [cert, key, ca] = ['cert.pem', 'key.pem', 'ca.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  let agent: Peer;
  let gateway: TestGateway;
  let address: string;
  const asked = (trusted: string) => {
    const own = [Buffer.from(KEY), Buffer.from(CERT)] as const;
    const credentials = grpc.credentials.createSsl(Buffer.from(trusted), ...own);
    const client = new GrpcTestClient(address, gateway.client.key, '1.0', credentials);
    const answer = client.call('ListTasks', {}, {}, { deadline: Date.now() + 5_000 });
    return answer.finally(() => client.close());
  };
  beforeAll(async () => {
    writeFileSync(cert, CERT);
    writeFileSync(key, KEY);
    writeFileSync(ca, CERT);
    const server = { tls: { cert, key }, grpc: { port: 0, tls: { client_ca: ca } } };
    agent = await startSampleAgent();
    const config = { server, upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } };
    gateway = await startTestGateway({ config });
    const card = await new Promise<string>((resolve, reject) => {
      get(`${gateway.url}/.well-known/agent-card.json`, { ca: CERT }, async (answer) => {
        let text = '';
        for await (const chunk of answer) text += String(chunk);
        resolve(text);
      }).on('error', reject);
    });
    const { supportedInterfaces } = JSON.parse(card) as {
      supportedInterfaces: { url: string; protocolBinding: string }[];
    };
    address = supportedInterfaces.find(({ protocolBinding }) => protocolBinding === 'GRPC')?.url ?? '';
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('lets in who shows a certificate that is trusted, and nobody else', async () => {
    expect(await asked(CERT)).toHaveProperty('pageSize', 50);
    const bare = new GrpcTestClient(
      address,
      gateway.client.key,
      '1.0',
      grpc.credentials.createSsl(Buffer.from(CERT)),
    );
    const deadline = Date.now() + 3_000;
    const refused = await bare
      .call('ListTasks', {}, {}, { deadline })
      .catch(({ status }: { status: string }) => status);
    bare.close();
    expect(['UNAVAILABLE', 'DEADLINE_EXCEEDED']).toContain(refused);
    const [strangerKey, strangerCert] = [join(folder, 'stranger-key.pem'), join(folder, 'stranger.pem')];
    makePair(strangerKey, strangerCert);
    const pair = [readFileSync(strangerKey), readFileSync(strangerCert)] as const;
    const stranger = new GrpcTestClient(
      address,
      gateway.client.key,
      '1.0',
      grpc.credentials.createSsl(Buffer.from(CERT), ...pair),
    );
    const untrusted = await stranger
      .call('ListTasks', {}, {}, { deadline })
      .catch(({ status }: { status: string }) => status);
    stranger.close();
    expect(['UNAVAILABLE', 'DEADLINE_EXCEEDED']).toContain(untrusted);
    const plain = new GrpcTestClient(address, gateway.client.key);
    const spoken = await plain
      .call('ListTasks', {}, {}, { deadline })
      .catch(({ status }: { status: string }) => status);
    plain.close();
    expect(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL']).toContain(spoken);
  });

  it('shows the renewed certificate to new connections, without a restart', async () => {
    makePair(key, cert);
    const renewed = readFileSync(cert, 'utf8');
    await gateway.reload();
    expect(await asked(renewed)).toHaveProperty('pageSize', 50);
    await expect(asked(CERT)).rejects.toHaveProperty('status');
  });
});

/** A certificate for the loopback that it has signed itself, in files. */
function makePair(key: string, cert: string): void {
  const options = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const files = ['-days', '2', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...options, ...names, ...files], { stdio: 'ignore' });
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('the port of gRPC', () => {
  it('is listed where the operator wants it, and not where it is not served', async () => {
    const names = async ({ url }: TestGateway) => {
      const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as {
        supportedInterfaces: { protocolBinding: string; protocolVersion: string }[];
        preferredTransport: string;
      };
      const spoken = card.supportedInterfaces.filter(
        ({ protocolBinding }) => !protocolBinding.includes('/spec/'),
      );
      return [
        ...spoken.map((row) => `${row.protocolBinding} ${row.protocolVersion}`),
        card.preferredTransport,
      ];
    };
    const a2a_preferred = ['grpc-1.0', 'http+json-0.3'];
    const served = await startTestGateway({ config: { server: { a2a_preferred, grpc: { port: 0 } } } });
    const unserved = await startTestGateway({ config: { server: { a2a_preferred } } });
    expect(await names(served)).toEqual([
      ...['GRPC 1.0', 'HTTP+JSON 0.3', 'JSONRPC 1.0', 'HTTP+JSON 1.0', 'JSONRPC 0.3', 'GRPC 0.3'],
      'HTTP+JSON',
    ]);
    expect(await names(unserved)).toEqual([
      ...['HTTP+JSON 0.3', 'JSONRPC 1.0', 'HTTP+JSON 1.0', 'JSONRPC 0.3'],
      'HTTP+JSON',
    ]);
    await Promise.all([served.close(), unserved.close()]);
  });

  it.each([
    ['the public URL', {}, (port: number) => `gateway.example.com:${port}`],
    ['its own option', { public_address: 'agents.example.com:443' }, () => 'agents.example.com:443'],
  ])('is called by the address that cards have of %s', async (_, own, addressOf) => {
    const port = await freePort();
    const server = { public_url: 'https://gateway.example.com', grpc: { port, ...own } };
    const gateway = await startTestGateway({ config: { server } });
    const address = addressOf(port);
    expect(await grpcAddress(gateway.url)).toBe(address);
    expect(gateway.grpcAddress).toBe(address);
    const calledBy = async (authority: string) => {
      const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), {
        'grpc.default_authority': authority,
        'grpc.use_local_subchannel_pool': 1,
      });
      const asked = Object.assign(new GrpcTestClient(address, gateway.client.key), { client });
      // No agent is behind this gateway, which only those are told that it lets in.
      const refused = await asked.call('ListTasks', {}).catch((refusal: unknown) => refusal);
      client.close();
      return (refused as { status: string }).status;
    };
    expect(await calledBy(address)).toBe('NOT_FOUND');
    expect(await calledBy(`evil.example:${port}`)).toBe('INVALID_ARGUMENT');
    await gateway.close();
  });

  it('ends its streams at a shutdown, each with where it goes on, and takes no more calls', async () => {
    const agent = await startSampleAgent();
    const config = {
      server: { grpc: { port: 0 } },
      upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
    };
    const gateway = await startTestGateway({ config });
    const client = new GrpcTestClient(await grpcAddress(gateway.url), gateway.client.key);
    const stream = client.stream('SendStreamingMessage', {
      message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'login' }] },
    });
    await stream.until(2);
    const closed = gateway.close();
    const ended = (await stream.end.catch((error: unknown) => error)) as {
      status: string;
      trailers: grpc.Metadata;
    };
    expect(ended.status).toBe('UNAVAILABLE');
    expect(ended.trailers.get('last-event-id')).toEqual([expect.stringMatching(/^\d{20}$/)]);
    await closed;
    await expect(client.call('ListTasks', {})).rejects.toMatchObject({ status: 'UNAVAILABLE' });
    client.close();
    await agent.close();
  });

  it('hands the time that it waits itself to the agent', async () => {
    const agent = await startGrpcAgent();
    const limits = { total_timeout_ms: 40_000 };
    const a2a = [{ id: 'shop', card: agent.cardUrl, limits }];
    const gateway = await startTestGateway({ config: { upstreams: { a2a } } });
    const startedAt = Date.now();
    const { id } = await gateway.client.submit('one');
    await gateway.client.until(id, 'COMPLETED');
    const { headers } = await agent.arrived('POST /lf.a2a.v1.A2AService/SendStreamingMessage');
    const deadline = Number(headers['deadline']);
    expect(deadline).toBeGreaterThanOrEqual(startedAt + 39_000);
    expect(deadline).toBeLessThanOrEqual(Date.now() + 40_000);
    await gateway.close();
    await agent.close();
  });
});

describe('callers of gRPC', () => {
  let agent: Peer;
  let issuer: TokenIssuerPeer;
  let gateway: TestGateway;
  let pair: SigningPair;
  let address: string;
  const ask = async (token: string, method = 'ListTasks', message: JsonObject = {}) => {
    const client = new GrpcTestClient(address, token);
    const answer = await client.call(method, message).then(
      () => 'OK',
      ({ status }: { status: string }) => status,
    );
    client.close();
    return answer;
  };
  const claims = (extra: Record<string, unknown> = {}) =>
    goodClaims(issuer.url, { scope: 'tasks:read tasks:write sessions:write', ...extra });
  beforeAll(async () => {
    agent = await startSampleAgent();
    issuer = await new TokenIssuerPeer().start();
    pair = await signingPair('key-1');
    issuer.publish(pair);
    const config = {
      upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
      server: { grpc: { port: 0 } },
      limits: { failed_logins_per_minute: 100_000 },
      tenants: [{ id: 'tenant_other' }],
      workspaces: [{ id: 'workspace_foreign', tenant: 'tenant_other' }],
    };
    const keys = [
      { actor: 'stranger', tenant: 'tenant_other', workspaces: ['workspace_foreign'] },
      { actor: 'colleague', workspaces: ['workspace_default'] },
    ];
    const oauth = [issuerRow(issuer.url)];
    gateway = await startTestGateway({ clock, config, keys, oauth });
    address = await grpcAddress(gateway.url);
  });
  afterAll(async () => {
    await gateway.close();
    await issuer.close();
    await agent.close();
  });
  beforeEach(() => {
    time.ms = START_MS;
  });

  it('are let in by a good token, with its scopes and no others', async () => {
    expect(await ask(await signToken(pair, claims()))).toBe('OK');
    expect(await ask(await signToken(pair, claims({ scope: 'tasks:read' })))).toBe('OK');
    const reading = await signToken(pair, claims({ scope: 'tasks:read' }));
    expect(await ask(reading, 'SendMessage', REQUEST)).toBe('PERMISSION_DENIED');
    expect(await ask(await signToken(pair, claims({ scope: '' })))).toBe('PERMISSION_DENIED');
  });

  it('are refused with every bad token, as over HTTP', async () => {
    const world = { pair: () => pair, claims };
    for (const [what, make] of Object.entries({ ...badClaims(world), ...badSpellings(world) })) {
      const token = await make();
      // Metadata cannot hold every character.
      if (!/^[\x20-\x7e]+$/.test(token)) continue;
      expect(await ask(token), what).toBe('UNAUTHENTICATED');
    }
  });

  it('of another tenant see nothing of a task by any method, as if it were not there', async () => {
    const mine = new GrpcTestClient(address, gateway.client.key);
    const { task } = (await mine.call('SendMessage', REQUEST)) as { task: { id: string; contextId: string } };
    mine.close();
    const key = gateway.clients['stranger']?.key ?? '';
    const METHODS: Record<string, (id: string) => JsonObject> = {
      GetTask: (id) => ({ id }),
      CancelTask: (id) => ({ id }),
      SendMessage: (taskId) => ({
        message: { messageId: 'm2', role: 'ROLE_USER', parts: [{ text: 'x' }], taskId },
      }),
      CreateTaskPushNotificationConfig: (taskId) => ({ taskId, id: 'c', url: 'https://hook.example/x' }),
      GetTaskPushNotificationConfig: (taskId) => ({ taskId, id: 'c' }),
      ListTaskPushNotificationConfigs: (taskId) => ({ taskId }),
      DeleteTaskPushNotificationConfig: (taskId) => ({ taskId, id: 'c' }),
    };
    const client = new GrpcTestClient(address, key);
    for (const [method, message] of Object.entries(METHODS)) {
      const refusal = (id: string) =>
        client
          .call(method, message(id))
          .catch(({ status, reason, message: said }: Record<string, string>) => ({ status, reason, said }));
      const there = await refusal(task.id);
      expect(there, method).toEqual(await refusal('task_01M80CFB3E2J2BW07HRJJ5T9CY'));
      expect(there, method).toMatchObject({ status: 'NOT_FOUND' });
    }
    for (const method of ['SubscribeToTask', 'SendStreamingMessage']) {
      const made = METHODS[method === 'SubscribeToTask' ? 'GetTask' : 'SendMessage'];
      await expect(client.stream(method, made?.(task.id) ?? {}).end, method).rejects.toMatchObject({
        status: 'NOT_FOUND',
      });
    }
    expect(await client.call('ListTasks', { contextId: task.contextId })).toEqual({ pageSize: 50 });
    client.close();
  });
});
