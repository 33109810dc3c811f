import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { announceGateway } from '#operation/data-directory.ts';
import { JOURNAL_KEY } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { mcpServers } from '../harness/mcp-servers.ts';
import { NATS_SERVER, NatsServers, needsNats } from '../harness/nats-servers.ts';
import { OtlpCollector } from '../harness/otlp-collector.ts';
import { ScriptedAcpAgent } from '../harness/peers/scripted-acp-agent.ts';
import { cards } from '../harness/peers/scripted-cards.ts';
import { servedPerTest } from '../harness/peers/served.ts';
import { signingPair, TokenIssuerPeer } from '../harness/peers/token-issuer.ts';
import { CERT, KEY } from '../unit/surfaces/tls-fixture.ts';
import { runCommand } from './command-line.ts';

/** A server that says why it ends. */
const DIES = `console.error('no settings for ' + process.env.DOCTOR_SECRET); process.exit(3)`;
const SECRET = 'canary-of-the-doctor-8d1f0c';
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'harn-doctor-'));
  vi.stubEnv('XDG_CONFIG_HOME', join(dir, 'config'));
  vi.stubEnv('DOCTOR_SECRET', SECRET);
  // What the machine of the tests says of its clock is no matter of theirs.
  writeFileSync(join(dir, 'timedatectl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  vi.stubEnv('PATH', `${dir}:${process.env['PATH']}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});
const serve = servedPerTest();

interface Line {
  check: string;
  ok: boolean;
  said: string;
  todo?: string;
}

async function doctor(sections: object, data = join(dir, 'data')) {
  const config = join(dir, 'gateway.yaml');
  const upstreams = { a2a: [] };
  writeFileSync(config, JSON.stringify({ server: { port: 0 }, store: { data }, upstreams, ...sections }));
  const { code, out } = await runCommand(['doctor', '--config', config, '--json']);
  const { ok, lines } = JSON.parse(out) as { ok: boolean; lines: Line[] };
  const of = (check: string) => lines.filter((line) => line.check === check);
  return { code, ok, lines, of, out, config };
}

/** An A2A agent that is in good order; its name repeats the credential that it was asked with. */
const agent = () =>
  serve((request, response) => {
    const origin = `http://${request.headers.host}`;
    const name = `Shop ${request.headers.authorization ?? ''}`;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...cards.v1(origin), name }));
  });

describe('doctor', () => {
  it('finds all in good order: every check has a line that is fine, and the exit code is 0', async () => {
    const issuer = await new TokenIssuerPeer().start();
    const coder = await ScriptedAcpAgent.start();
    try {
      issuer.publish(await signingPair('key-1'));
      const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
      writeFileSync(cert, CERT);
      writeFileSync(key, KEY);
      const card = `${await agent()}/.well-known/agent-card.json`;
      const auth = { type: 'bearer', value: { env: 'DOCTOR_SECRET' } };
      const { code, ok, lines, of, out } = await doctor({
        server: { port: 0, tls: { cert, key } },
        auth: { oauth: [{ issuer: issuer.url, audience: 'https://gateway.test' }] },
        upstreams: {
          a2a: [{ id: 'shop', card, auth }],
          acp: [{ id: 'coder', url: coder.url }],
          mcp: [{ id: 'memory', command: mcpServers.memory() }],
        },
      });
      expect([lines.filter((line) => !line.ok), code, ok]).toEqual([[], 0, true]);
      expect([...new Set(lines.map(({ check }) => check))]).toEqual([
        'configuration',
        'versions',
        'data',
        'disk',
        'clock',
        'certificate',
        'port',
        'issuer',
        'program',
        'agent',
        'telemetry',
        'editor',
      ]);
      expect(of('agent').map(({ said }) => said)).toEqual([
        expect.stringContaining('a2a:shop answers as Shop '),
        'acp:coder answers as coder; skills: 1',
        expect.stringMatching(/^mcp:memory answers as .*; skills: \d+$/),
      ]);
      expect(coder.methods()).toEqual(['initialize']);
      expect(of('issuer')[0]?.said).toContain(`auth.oauth[0] (${issuer.url}) is reached; keys: 1`);
      const clocks = of('clock').map(({ said }) => said.split(' is ')[0]);
      expect(clocks.slice(-2)).toEqual([`the clock of ${issuer.url}`, 'the clock of a2a:shop']);
      expect(out).not.toContain(SECRET);
    } finally {
      await issuer.close();
      await coder.close();
    }
  });

  it('compares the clock with that of the issuers', async () => {
    const issuer = await new TokenIssuerPeer().start();
    try {
      issuer.publish(await signingPair('key-1'));
      issuer.state.date = new Date(Date.now() - 90_000).toUTCString();
      const sections = { auth: { oauth: [{ issuer: issuer.url, audience: 'https://gateway.test' }] } };
      const { code, of } = await doctor(sections);
      expect([code, of('issuer')[0]?.ok, of('clock').at(-1)]).toMatchObject([
        1,
        true,
        {
          ok: false,
          said: expect.stringMatching(/ is 9[01] s behind ours$/),
          todo: expect.stringContaining('NTP'),
        },
      ]);
    } finally {
      await issuer.close();
    }
  });

  it('compares the clock with that of the agents, behind a cache too', async () => {
    const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString();
    let told = () => ({ date: inSeconds(90), age: '0' });
    const shop = await serve((request, response) => {
      response.setHeader('content-type', 'application/json');
      for (const [name, value] of Object.entries(told())) response.setHeader(name, value);
      response.end(JSON.stringify(cards.v1(`http://${request.headers.host}`)));
    });
    const upstreams = { a2a: [{ id: 'shop', card: `${shop}/.well-known/agent-card.json` }] };
    const { code, of } = await doctor({ upstreams });
    expect([code, of('agent')[0]?.ok, of('clock').at(-1)]).toMatchObject([
      1,
      true,
      {
        ok: false,
        said: expect.stringMatching(/^the clock of a2a:shop is (8\d|90) s ahead of ours$/),
        todo: expect.stringContaining('NTP'),
      },
    ]);
    told = () => ({ date: inSeconds(-90), age: '90' });
    expect((await doctor({ upstreams })).of('clock').at(-1)).toMatchObject({ ok: true });
  });

  it('says whether something keeps the clock of the machine right, where the machine knows', async () => {
    const says = async (program: string) => {
      writeFileSync(join(dir, 'timedatectl'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
      return (await doctor({})).of('clock').find(({ said }) => said.includes('this machine'));
    };
    vi.stubEnv('PATH', dir);
    expect(await says('echo yes')).toMatchObject({ ok: true });
    expect(await says('echo no')).toMatchObject({ ok: false, todo: expect.stringContaining('set-ntp') });
    expect(await says('exit 1')).toBeUndefined();
  });

  it('looks at the port of gRPC and at who signs the certificates of its clients', async () => {
    const port = Number(new URL(await serve((_request, response) => void response.end())).port);
    const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
    writeFileSync(cert, CERT);
    writeFileSync(key, KEY);
    const grpc = { port, tls: { client_ca: cert } };
    const { code, of } = await doctor({ server: { port: 0, tls: { cert, key }, grpc } });
    expect([code, of('port')[1], of('certificate')[1]]).toMatchObject([
      1,
      {
        ok: false,
        said: `127.0.0.1:${port} cannot be listened on`,
        todo: expect.stringContaining('server.grpc'),
      },
      { ok: true, said: expect.stringContaining(`${cert} is good for`) },
    ]);
  });

  it('finds a copy of a log in JetStream where the log is to be in the data directory', async () => {
    const data = join(dir, 'data');
    const store = await openLevelStore({ path: join(data, 'store') });
    await store.write([{ type: 'put', key: JOURNAL_KEY, value: '{}' }]);
    await store.close();
    expect((await doctor({}, data)).of('data')[0]).toMatchObject({
      ok: false,
      todo: expect.stringContaining('Set store.kind to jetstream'),
    });
  });

  it.skipIf(NATS_SERVER === undefined)(
    needsNats('asks each server of a log in JetStream, and makes no log there'),
    async () => {
      const nats = await NatsServers.start();
      const data = join(dir, 'data');
      mkdirSync(data);
      const store = {
        data,
        kind: 'jetstream',
        servers: [...nats.urls, 'nats://127.0.0.1:1'],
        name: 'doctor',
        replicas: 1,
      };
      const said = async (changes: object) => {
        const { code, of } = await doctor({ store: { ...store, ...changes } });
        return { code, lines: of('log').map(({ ok, said: what }) => [ok, what]) };
      };
      try {
        for (const _ of ['first', 'again'])
          expect(await said({})).toEqual({
            code: 1,
            lines: [
              [true, `${nats.urls[0]} is reached and has JetStream`],
              [false, expect.stringContaining('nats://127.0.0.1:1: ')],
              [true, 'the log "doctor" is not there yet; the first start makes it (replicas: 1)'],
            ],
          });
        const gateway = await startTestGateway({ data, config: { store: { ...store, servers: nats.urls } } });
        const found = async (advertise: string) => {
          const { of } = await doctor({ store: { ...store, servers: nats.urls, advertise } });
          return of('node').map(({ ok, said: what }) => [ok, what]);
        };
        const nowhere = 'http://127.0.0.1:9';
        expect(await found(gateway.url)).toEqual([
          [true, `other nodes find this one at ${gateway.url} (store.advertise)`],
        ]);
        expect(await found(`http://127.0.0.1:${nats.ports[0]?.monitor}`)).toEqual([
          [false, expect.stringContaining('is not found at')],
        ]);
        expect(await found(nowhere)).toEqual([
          [false, expect.stringContaining(`this gateway is not found at ${nowhere} (store.advertise): `)],
        ]);
        await gateway.close();
        expect(await found(nowhere)).toEqual([[true, expect.stringContaining('nothing runs here yet')]]);
        expect(await said({ servers: nats.urls })).toEqual({
          code: 0,
          lines: [
            [true, `${nats.urls[0]} is reached and has JetStream`],
            [true, 'replicas of the stream HARN_doctor_0000 that are up to date: 1 of 1'],
          ],
        });
      } finally {
        await nats.close();
      }
    },
    60_000,
  );

  it('asks the receiver of OpenTelemetry whether it takes what is sent', async () => {
    const collector = await OtlpCollector.start();
    const sections = { upstreams: { a2a: [] }, telemetry: { otlp: { endpoint: collector.url } } };
    const said = async () => (await doctor(sections)).of('telemetry').map(({ ok, said: what }) => [ok, what]);
    try {
      expect((await doctor({})).of('telemetry').map(({ said: what }) => what)).toEqual([
        'traces are sent nowhere by OpenTelemetry',
        'metrics are sent nowhere by OpenTelemetry',
      ]);
      expect(await said()).toEqual([
        [true, `traces are taken by the receiver at ${collector.url}`],
        [true, `metrics are taken by the receiver at ${collector.url}`],
      ]);
      collector.answer = (response) => response.writeHead(401).end('no: what was sent');
      expect(await said()).toEqual([
        [false, `traces: ${collector.url} does not take them: HTTP 401`],
        [false, `metrics: ${collector.url} does not take them: HTTP 401`],
      ]);
    } finally {
      await collector.close();
    }
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc');
    const lines = (await doctor(sections)).of('telemetry');
    expect(lines[0]).toMatchObject({
      ok: false,
      said: 'traces: the protocol grpc is not spoken; set http/protobuf or http/json',
      todo: expect.stringContaining('telemetry.otlp'),
    });
  });

  it('says what to do on every line that is not fine, and ends with 1', async () => {
    const port = Number(new URL(await serve((_request, response) => void response.end())).port);
    const { code, ok, lines, of, out } = await doctor({
      server: { port },
      auth: { oauth: [{ issuer: 'http://127.0.0.1:1', audience: 'https://gateway.test' }] },
      upstreams: {
        a2a: [
          {
            id: 'gone',
            card: 'http://127.0.0.1:1/card',
            auth: { type: 'bearer', value: { env: 'DOCTOR_SECRET' } },
          },
        ],
        acp: [{ id: 'coder', command: ['no-such-program-of-doctor'] }],
        mcp: [
          {
            id: 'dies',
            command: [process.execPath, '-e', DIES],
            env: { DOCTOR_SECRET: { env: 'DOCTOR_SECRET' } },
          },
        ],
      },
    });
    expect([code, ok]).toEqual([1, false]);
    const bad = lines.filter((line) => !line.ok);
    expect(bad.map(({ check }) => check)).toEqual(['port', 'issuer', 'program', 'agent', 'agent', 'agent']);
    for (const { todo } of bad) expect(todo).toMatch(/\w\.$/);
    expect(of('port')[0]?.todo).toContain('Choose another one with --port');
    expect(of('issuer')[0]?.said).toContain('auth.oauth[0] (http://127.0.0.1:1)');
    expect(of('program')[0]?.said).toContain('upstreams.acp[0].command[0]: the program no-such-program');
    expect(of('agent').map(({ said }) => said.split(':').slice(0, 2).join(':'))).toEqual([
      'a2a:gone',
      'acp:coder',
      'mcp:dies',
    ]);
    expect(of('agent')[2]?.said).toContain('it ended with code 3. Its last words: no settings for <redacted');
    expect(out).not.toContain(SECRET);
  });

  it('compares the certificate with the name that clients use, unless they see that of a proxy', async () => {
    const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
    writeFileSync(cert, CERT);
    writeFileSync(key, KEY);
    const seen = async (public_url: string, more = {}) =>
      (await doctor({ server: { port: 0, tls: { cert, key }, public_url, ...more } })).of('certificate')[0];
    expect(await seen('https://gateway.example.com')).toMatchObject({
      ok: false,
      said: `${cert} is not for gateway.example.com`,
      todo: expect.stringContaining('server.public_url'),
    });
    for (const name of ['localhost', '127.0.0.1'])
      expect(await seen(`https://${name}:8443`)).toMatchObject({ ok: true });
    const proxied = { trusted_proxies: ['127.0.0.1'] };
    expect(await seen('https://gateway.example.com', proxied)).toMatchObject({ ok: true });
  });

  it.skipIf(process.platform !== 'linux')(
    'finds that nothing can be made in a directory whose rights say otherwise (skipped but on Linux)',
    async () => {
      const { code, of, lines } = await doctor({}, '/proc/harn-doctor');
      expect([code, of('data')[0]?.ok, of('data')[0]?.said]).toEqual([
        1,
        false,
        '/proc may not be written by this user',
      ]);
      expect(lines.map(({ said }) => said)).not.toContain('this could not be looked at');
    },
  );

  it('tells a place that is no directory from one that may not be written', async () => {
    const file = join(dir, 'a-file');
    writeFileSync(file, '');
    const { code, of } = await doctor({}, join(file, 'data'));
    expect([code, of('data')]).toEqual([
      1,
      [
        {
          check: 'data',
          ok: false,
          said: `${file} is no directory`,
          todo: 'Set store.data (--data) to a directory that is for the gateway alone.',
        },
      ],
    ]);
  });

  it('shows every fault of the configuration, and looks at what needs none all the same', async () => {
    const { code, lines, of } = await doctor({ server: { port: -1 }, limits: { max_running_tasks: 0 } });
    expect(code).toBe(1);
    expect(of('configuration').map(({ ok, said }) => [ok, said])).toEqual([
      [false, expect.stringContaining('server.port')],
      [false, expect.stringContaining('limits.max_running_tasks')],
    ]);
    expect(new Set(lines.map(({ check }) => check))).toEqual(
      new Set(['configuration', 'versions', 'editor']),
    );
  });

  it('knows the data and the port of a gateway that runs as its own', async () => {
    const data = join(dir, 'running');
    mkdirSync(data);
    const gateway = await startTestGateway({ data, config: { store: { data } } });
    try {
      const port = Number(new URL(gateway.url).port);
      const { code, of } = await doctor({ server: { port } }, data);
      expect([code, of('data')[0]?.said, of('port')[0]?.said]).toEqual([
        0,
        `${data} is open in the gateway at ${gateway.url} (process ${process.pid})`,
        `127.0.0.1:${port} is that of the gateway of ${data} (process ${process.pid})`,
      ]);
    } finally {
      await gateway.close();
    }
    announceGateway(data, { url: 'http://127.0.0.1:1', pid: 1 });
    expect((await doctor({}, data)).of('data')[0]).toMatchObject({
      ok: true,
      said: expect.stringMatching(/can be opened \(schema \d+\); nobody has it open$/),
    });
  });

  it('says of a gateway that takes no work why', async () => {
    const data = join(dir, 'rolled-back');
    mkdirSync(data);
    const once = async (act: (gateway: TestGateway) => Promise<unknown>) => {
      const gateway = await startTestGateway({ data, config: { store: { data } } });
      await act(gateway).finally(() => gateway.close());
    };
    await once(async () => undefined);
    cpSync(join(data, 'store'), join(dir, 'older'), { recursive: true });
    await once(({ client }) => client.session());
    rmSync(join(data, 'store'), { recursive: true });
    cpSync(join(dir, 'older'), join(data, 'store'), { recursive: true });
    await once(async ({ url }) => {
      const { code, of } = await doctor({ server: { port: Number(new URL(url).port) } }, data);
      expect(code).toBe(1);
      expect(of('data')).toMatchObject([{ ok: false, said: expect.stringContaining('takes no work: ') }]);
    });
  });

  it('finds the gateway in the settings of an editor, which has to find it too', async () => {
    const settings = join(dir, 'config', 'zed', 'settings.json');
    mkdirSync(join(dir, 'config', 'zed'), { recursive: true });
    mkdirSync(join(dir, 'config', 'nvim', 'lua'), { recursive: true });
    const command = join(dir, 'bin', 'harn-gateway');
    writeFileSync(settings, `{ "agent_servers": { "Harn": { "command": "${command}" } } }`);
    writeFileSync(join(dir, 'config', 'nvim', 'lua', 'acp.lua'), `commands = { 'harn-gateway', 'acp' }`);
    vi.stubEnv('PATH', dir);
    const said = (await doctor({})).of('editor');
    expect(said.map(({ ok, said: text }) => [ok, text.split(' ')[0]])).toEqual([
      [true, 'Zed'],
      [true, 'JetBrains'],
      [false, 'Neovim'],
      [true, 'Emacs'],
    ]);
    expect(said[0]?.said).toBe(`Zed names the gateway in ${settings}`);
    expect(said[2]?.todo).toContain('the program harn-gateway is not in PATH');
  });

  it('prints one line for each thing, and the remedy under it', async () => {
    const config = join(dir, 'gateway.yaml');
    const acp = [{ id: 'coder', command: ['no-such-program-of-doctor'] }];
    const sections = { server: { port: 0 }, store: { data: join(dir, 'data') }, upstreams: { a2a: [], acp } };
    writeFileSync(config, JSON.stringify(sections));
    const { code, out } = await runCommand(['doctor', '--config', config]);
    expect(code).toBe(1);
    expect(out).toMatch(/^ok {3}configuration: .* has no fault\n/);
    expect(out).toMatch(/\nBAD {2}program: upstreams\.acp\[0\].*\n {7}Install it/);
    expect(out).toMatch(/\n2 of \d+ lines need something done\.\n$/);
  });

  it('shows open circuits and halts of the gateway that runs, and so does check --online', async () => {
    const data = join(dir, 'data');
    mkdirSync(data);
    const shop = await serve((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.method === 'POST') response.statusCode = 503;
      response.end(JSON.stringify(cards.v1(`http://${request.headers.host}`)));
    });
    const upstreams = { a2a: [{ id: 'shop', card: `${shop}/.well-known/agent-card.json` }] };
    const resilience = [{ agent: 'a2a:shop', breaker: { failures: 1, open_ms: 60_000 } }];
    const gateway = await startTestGateway({ data, config: { upstreams, resilience } });
    try {
      announceGateway(data, { url: gateway.url, pid: process.pid });
      const said = async () => (await doctor({ upstreams, resilience }, data)).of('gateway');
      vi.stubEnv('HARN_GATEWAY_KEY', 'hk_nobody');
      expect(await said()).toEqual([
        { check: 'gateway', ok: true, said: expect.stringContaining('are not shown') },
      ]);
      vi.stubEnv('HARN_GATEWAY_KEY', gateway.client.key);
      expect((await said()).map((line) => line.said)).toEqual(['no circuit is open and nothing is halted']);
      const { id } = await gateway.client.submit('go', undefined, { route: 'a2a:shop' });
      await gateway.client.until(id, 'FAILED');
      const halt = await gateway.client.post<{ id: string }>('/v1/admin/halts', {
        route: 'a2a:shop',
        reason: 'It loops.',
      });
      const { of, config } = await doctor({ upstreams, resilience }, data);
      expect(of('gateway')).toEqual([
        {
          check: 'gateway',
          ok: false,
          said: expect.stringMatching(
            /^the circuit of a2a:shop is open until .* after 1 failures: new tasks fail/,
          ),
          todo: expect.stringContaining('Look at the agent itself'),
        },
        {
          check: 'gateway',
          ok: true,
          said: expect.stringContaining(`It loops. Let it run again with: halt release ${halt.id}`),
        },
      ]);
      const { out } = await runCommand(['check', '--online', '--config', config]);
      expect(out).toContain('the circuit of a2a:shop is open');
      expect(out).toContain(halt.id);
    } finally {
      await gateway.close();
    }
  });

  it('says what a log on other machines promises, and that it cannot see whether their servers keep it', async () => {
    const store = { data: join(dir, 'data'), kind: 'jetstream', servers: ['nats://127.0.0.1:4222'] };
    const plain = await doctor({ store });
    expect(plain.of('durability')).toEqual([
      {
        check: 'durability',
        ok: true,
        said: 'an acknowledged commit outlives 1 of 3 servers, and no loss of power of all of them (store.durability: replicas); how the servers sync their files cannot be seen from here',
      },
    ]);
    const strict = await doctor({ store: { ...store, durability: 'disk', replicas: 5 } });
    expect(strict.of('durability')).toMatchObject([
      {
        ok: false,
        said: expect.stringContaining('is on the disks of 3 of 5 servers'),
        todo: expect.stringContaining('store.monitoring'),
      },
    ]);
    const gone = await doctor({ store: { ...store, monitoring: ['http://127.0.0.1:1'] } });
    expect(gone.of('durability')).toMatchObject([
      { ok: true },
      { ok: false, said: expect.stringContaining('cannot be asked') },
    ]);
  });

  it.skipIf(NATS_SERVER === undefined)(
    needsNats('compares how the servers of the log sync their files with what is promised'),
    async () => {
      for (const syncsAlways of [false, true]) {
        const servers = await NatsServers.start({ syncsAlways });
        try {
          const monitoring = servers.ports.map(({ monitor }) => `http://127.0.0.1:${monitor}`);
          const of = { data: join(dir, 'data'), kind: 'jetstream', servers: servers.urls, monitoring };
          const said = syncsAlways ? 'syncs each message before' : 'syncs its files every 120 s';
          const strict = await doctor({ store: { ...of, durability: 'disk' } });
          expect(strict.of('durability').at(-1)).toMatchObject({
            ok: syncsAlways,
            said: expect.stringContaining(said),
          });
          const plain = await doctor({ store: of });
          expect(plain.of('durability').at(-1)).toMatchObject({
            ok: true,
            said: expect.stringContaining(said),
          });
        } finally {
          await servers.close();
        }
      }
    },
  );
});
