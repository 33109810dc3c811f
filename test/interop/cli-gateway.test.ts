import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { createLogging, startGateway } from '#compose/compose.ts';
import { loadConfig } from '#config/load.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { runCommand } from './command-line.ts';

let folder: string;
let config: string;
let data: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'harn-offline-'));
  config = join(folder, 'gateway.yaml');
  data = join(folder, 'data');
  for (const name of ['CONFIG', 'HOST', 'PORT', 'DATA']) vi.stubEnv(`HARN_GATEWAY_${name}`, '');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const EVENTS = ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection'] as const;

function dropListeners(before: ReadonlyMap<(typeof EVENTS)[number], readonly unknown[]>): void {
  for (const event of EVENTS)
    for (const listener of process.rawListeners(event))
      if (!before.get(event)?.includes(listener)) process.off(event, listener as () => void);
}

const configure = (sections: object) => writeFileSync(config, stringify({ store: { data }, ...sections }));
const run = (...args: string[]) => runCommand([...args, '--config', config]);

describe('commands on the data of a stopped gateway', () => {
  beforeEach(async () => {
    await (await startTestGateway({ data: folder })).close();
    data = folder;
    const auth = (at: string) => ({ type: at, value: { env: 'HARN_TEST_NOT_SET' } });
    configure({
      server: { host: '0.0.0.0', tls: { cert: 'none.pem', key: 'none.pem' } },
      upstreams: { a2a: [{ id: 'shop', card: 'https://shop.example.com', auth: auth('bearer') }] },
      personas: { dir: 'nowhere' },
    });
  });

  it('need no secret, no certificate and no persona file, which check and serve do', async () => {
    const checked = await run('log', 'check');
    expect(checked).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/ 0 findings\n$/) });
    expect((await run('log', 'accept-truncation')).err).not.toContain('HARN_TEST_NOT_SET');
    const unsaid = await run('log', 'accept-truncation', '--reason', ' ');
    expect(unsaid).toMatchObject({ code: 2, err: expect.stringContaining('--reason') });
    for (const command of ['check', 'serve']) {
      const { code, err } = await run(command);
      expect([command, code]).toEqual([command, 2]);
      for (const wanted of ['HARN_TEST_NOT_SET', 'server.tls.cert', 'personas.dir', 'auth.api_keys'])
        expect(err).toContain(wanted);
    }
  });

  it('still refuse a configuration that is faulty in itself', async () => {
    writeFileSync(config, `store: {data: ${JSON.stringify(data)}}\nserver: {prot: 1}\n`);
    expect(await run('log', 'check')).toMatchObject({ code: 2, err: expect.stringContaining('server.prot') });
  });
});

describe('check', () => {
  it('reports the faults of single options and those across options at once', async () => {
    configure({
      server: { port: 99_999, tls: { cert: 'none.pem', key: 'none.pem' } },
      auth: {
        api_keys: [
          { id: 'a', hash: 'short', actor: 'me' },
          { id: 'b', hash: `sha256:${'b'.repeat(64)}`, actor: 'me', tenant: 'nobody', workspaces: ['gone'] },
        ],
      },
    });
    const { code, err } = await run('check');
    expect(code).toBe(2);
    expect([...err.matchAll(/\d+:\d+ (\S+):/g)].map(([, path]) => path).sort()).toEqual([
      'auth.api_keys[0].hash',
      'auth.api_keys[1].tenant',
      'auth.api_keys[1].workspaces[0]',
      'server.port',
      'server.tls.cert',
      'server.tls.key',
    ]);
  });

  it('says where a task goes that names no route, and who lacks a scope of the gateway itself', async () => {
    configure({
      auth: {
        api_keys: [{ id: 'warden', hash: `sha256:${'a'.repeat(64)}`, actor: 'me', scopes: ['admin'] }],
      },
      upstreams: { mcp: [{ id: 'files', command: ['node'] }] },
    });
    const { code, out } = await run('check');
    expect([code, out.split('\n').slice(1)]).toEqual([
      0,
      [
        'Tasks that name no route run on a2a:sample (the bundled sample agent: no agent is configured).',
        expect.stringMatching(
          /^auth\.api_keys\[0\] \(warden\) may not rotate.*\(operator\), nor read \/metrics/,
        ),
        '',
      ],
    ]);
  });

  it('concludes nothing from what it could not read', async () => {
    configure({
      server: { host: '0.0.0.0', insecur: true },
      auth: { api_keys: [{ id: 'a', hash: 'short', actor: 'me' }] },
      tenants: [{ id: 'ACME' }],
      workspaces: [{ id: 'shop', tenant: 'acme' }],
      upstreams: { a2a: [{ id: 'SHOP', card: 'https://shop.example.com' }] },
      routing: { default: 'a2a:shop' },
    });
    const { err } = await run('check');
    expect([...err.matchAll(/\d+:\d+ (\S+):/g)].map(([, path]) => path).sort()).toEqual([
      'auth.api_keys[0].hash',
      'server.insecur',
      'tenants[0].id',
      'upstreams.a2a[0].id',
    ]);
  });
});

describe('check looks for the programs of upstreams', () => {
  const mcp = (id: string, command: string[], more: object = {}) => ({ id, command, ...more });

  it('finds each that could not be started, and says what to do', async () => {
    writeFileSync(join(folder, 'plain'), 'no program');
    const acp = [
      { id: 'unknown', command: ['no-such-agent-here', '--acp'] },
      { id: 'moved', command: ['./gone/agent'], cwd: folder },
      { id: 'plain', command: [join(folder, 'plain')] },
      { id: 'nowhere', command: ['node'], cwd: join(folder, 'none') },
      { id: 'pathless', command: ['node'], env: { PATH: folder } },
    ];
    configure({ upstreams: { acp, mcp: [mcp('tools', ['no-such-server-here'])] } });
    const { code, err } = await run('check');
    expect(code).toBe(2);
    expect([...err.matchAll(/\d+:\d+ (\S+): (.*)$/gm)].map(([, path, why]) => [path, why])).toEqual([
      ['upstreams.acp[0].command[0]', expect.stringMatching(/no-such-agent-here is not in PATH; install it/)],
      ['upstreams.acp[1].command[0]', `the program ${join(folder, 'gone/agent')} does not exist`],
      ['upstreams.acp[2].command[0]', `the file ${join(folder, 'plain')} may not be run`],
      ['upstreams.acp[3].cwd', `the directory ${join(folder, 'none')} does not exist`],
      ['upstreams.acp[4].command[0]', expect.stringContaining('node is not in PATH')],
      ['upstreams.mcp[0].command[0]', expect.stringContaining('no-such-server-here is not in PATH')],
    ]);
    const listed = await run('check', '--json');
    expect(JSON.parse(listed.out).faults).toHaveLength(6);
  });

  it('is content with those that could be, by name and by a path from their directory', async () => {
    writeFileSync(join(folder, 'agent'), '#!/bin/sh\n', { mode: 0o755 });
    const acp = [
      { id: 'named', command: ['node'] },
      { id: 'placed', command: ['./agent'], cwd: folder },
      { id: 'own-path', command: ['agent'], env: { PATH: folder } },
      { id: 'remote', url: 'ws://127.0.0.1:1/acp' },
    ];
    configure({ upstreams: { acp } });
    expect(await run('check')).toMatchObject({ code: 0, err: '' });
  });
});

describe('serve on a port that another program has', () => {
  it('names host and port, ends with 2, prints no key, and keeps it in the file that the next start names', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    configure({ upstreams: { a2a: [] } });
    const { code, out, err } = await run('serve', '--port', String(port));
    expect([code, out]).toEqual([2, '']);
    expect(err.trimEnd().split('\n').at(-1)).toMatch(
      new RegExp(`^error: The port is in use: 127\\.0\\.0\\.1:${port}\\.`),
    );
    expect(err).not.toContain('harn_dev_');
    expect(readFileSync(join(data, 'dev-api-key'), 'utf8')).toMatch(/^harn_dev_/);
    await new Promise((resolve) => other.close(resolve));
  });
});

describe('serve', () => {
  const before = new Map(EVENTS.map((event) => [event, process.rawListeners(event)]));
  afterEach(() => dropListeners(before));

  it('obeys a signal from the ready line on, and prints the development key of a fresh directory', async () => {
    configure({ server: { port: 0 }, upstreams: { a2a: [] } });
    let listening: number | undefined;
    const { code, out, err } = await runCommand(['serve', '--config', config], () => {
      listening ??= process.rawListeners('SIGTERM').length - (before.get('SIGTERM')?.length ?? 0);
      setImmediate(() => process.emit('SIGTERM', 'SIGTERM'));
    });
    expect({ code, listening, ready: JSON.parse(out) }).toMatchObject({
      code: 0,
      listening: 1,
      ready: { event: 'ready', data },
    });
    expect(err).toContain(readFileSync(join(data, 'dev-api-key'), 'utf8').trim());
  });
});

describe('the first steps of serve', () => {
  /** What a whole life of a gateway said on standard error. The listeners it left would end this process at the next signal. */
  async function told(): Promise<string> {
    const before = new Map(EVENTS.map((event) => [event, process.rawListeners(event)]));
    const { err } = await runCommand(['serve', '--config', config], () => {
      setImmediate(() => process.emit('SIGTERM', 'SIGTERM'));
    });
    dropListeners(before);
    return err;
  }

  it('say on the second start where the key is, and nothing of one that is gone', async () => {
    configure({ server: { port: 0 }, upstreams: { a2a: [] } });
    expect(await told()).toContain('Development key, shown once: harn_dev_');
    const keyFile = join(data, 'dev-api-key');
    expect(await told()).toContain(`The development key is kept in ${keyFile}.`);
    rmSync(keyFile);
    expect(await told()).not.toContain('dev-api-key');
  });

  it('name no development key where an issuer says who calls', async () => {
    const oauth = [{ issuer: 'http://127.0.0.1:1', audience: 'https://gateway.example.com' }];
    configure({ server: { port: 0, insecure: true }, auth: { oauth }, upstreams: { a2a: [] } });
    const text = await told();
    expect(text).toContain('Set HARN_GATEWAY_KEY');
    expect(text).not.toContain('dev-api-key');
  });
});

describe('api-keys list', () => {
  it('shows the development key of a fresh gateway, and the keys made in it', async () => {
    configure({ server: { port: 0 }, upstreams: { a2a: [] } });
    const before = new Map(EVENTS.map((event) => [event, process.rawListeners(event)]));
    const { logger, redactor } = createLogging('fatal', process.stderr);
    const gateway = await startGateway({
      config: loadConfig({ flags: { config }, env: {}, cwd: folder, packageRoot: folder }),
      packageRoot: folder,
      version: '0.0.0-test',
      logger,
      redactor,
      env: {},
    });
    const client = ['--url', gateway.url, '--key-file', join(data, 'dev-api-key')];
    const made = await runCommand([
      'api-keys',
      'create',
      '--id',
      'ci',
      '--actor',
      'ci-bot',
      '--json',
      ...client,
    ]);
    const { out } = await runCommand(['api-keys', 'list', ...client]);
    await gateway.close();
    dropListeners(before);
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(rows).toEqual([
      ['ID', 'NAME', 'ACTOR', 'STATE', 'SCOPES'],
      [JSON.parse(made.out).id, 'ci', 'ci-bot', 'live', '*'],
      ['development', 'development', 'actor_developer', 'live, configured', '*,operator'],
    ]);
  });
});

describe('telemetry.metrics', () => {
  it.each([
    [true, 200],
    [false, 404],
  ])('%s makes /metrics answer %i', async (metrics, status) => {
    const gateway = await startTestGateway({ config: { telemetry: { metrics } } });
    const headers = { authorization: `Bearer ${gateway.client.key}` };
    expect((await fetch(`${gateway.url}/metrics`, { headers })).status).toBe(status);
    await gateway.close();
  });
});
