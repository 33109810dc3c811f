import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPackageRoot } from '#config/package-root.ts';
import { PackagePlace } from '../harness/packed.ts';

const run = promisify(execFile);
const root = findPackageRoot(import.meta.url);
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const main = join(root, 'dist', 'src', 'main.js');

/** Where each command of the README is run; a command without a row here fails. */
const RUN_BY: Readonly<Record<string, 'this test' | 'package.test.ts' | '.ci/run'>> = {
  'npm ci && npm start': 'this test',
  'npm ci && npm test': '.ci/run',
  'npm pack': 'package.test.ts',
  'npm install -g ./harn-gateway-0.2.0.tgz': 'package.test.ts',
  'npx harn-gateway task "stream 3" --follow': 'this test',
  'BODY="stream 2"; TIME=$(date +%s)': 'this test',
  'SIGNATURE=$(printf %s "$TIME.$BODY" | openssl dgst -sha256 -hmac "$(cat data/sample-connector-secret)" -r | cut -d \' \' -f 1)':
    'this test',
  'curl -s -H "X-Harn-Signature: t=$TIME,v1=$SIGNATURE" -H "Content-Type: text/plain" -d "$BODY" http://127.0.0.1:8080/v1/connectors/sample/deliveries':
    'this test',
  'npx harn-gateway check --config my-gateway.yaml': 'this test',
  'npx harn-gateway serve --config my-gateway.yaml': 'this test',
  'curl -s http://127.0.0.1:8080/.well-known/jwks.json > keys.json': 'this test',
  'npx harn-gateway card verify --url http://127.0.0.1:8080 --jwks keys.json': 'this test',
  'curl -s -H "Authorization: Bearer $KEY" -H "Harn-Agents-Protocol-Version: agents-protocol-2026-04-25" http://127.0.0.1:8080/v1/receipt-log/head > earlier.json':
    'this test',
  'curl -s http://127.0.0.1:8080/.well-known/jwks.json > jwks.json': 'this test',
  'npx harn-gateway receipt collect $TASK --earlier earlier.json --out receipts.json': 'this test',
  'npx harn-gateway receipt verify receipts.json --jwks jwks.json --earlier earlier.json': 'this test',
  'npx harn-gateway keys rotate': 'this test',
  'npx harn-gateway replay $TASK': 'this test',
  'npx harn-gateway session export $SESSION --out run.bundle.json': 'this test',
  'npx harn-gateway session import run.bundle.json': 'this test',
  'npx harn-gateway api-keys create --row --id ci --actor ci-bot': 'this test',
  'npx harn-gateway serve --config protected.yaml': 'this test',
  'SCOPE="workspaces:read sessions:write tasks:write tasks:read events:read"': 'this test',
  'ANSWER=$(curl -s -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials -d "scope=$SCOPE" -d resource=https://gateway.example.com https://login.example.com/token)':
    'this test',
  'export HARN_GATEWAY_KEY=$(echo "$ANSWER" | node -p \'JSON.parse(require("fs").readFileSync(0)).access_token\')':
    'this test',
  'npx harn-gateway task "hello" --follow': 'this test',
  'npm run check     # types, lint, tests': '.ci/run',
  'npm run bench     # speed, with baselines in the same run': '.ci/run',
  'npm run torture -- --minutes 1 --seed 1': '.ci/run',
};

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
    ([, text = '']) => text,
  );
}

/** Where the commands are typed, and what `harn-gateway serve` is there. */
interface Reader {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly serve: readonly [program: string, ...args: string[]];
  gone(): void;
}

/** Who reads the README: in a clone that is built, or with the package installed by `npm install -g`, in an empty folder. */
const READERS: Readonly<Record<string, () => Promise<Reader>>> = {
  'cloned it': async () => ({
    cwd: root,
    env: process.env,
    serve: [process.execPath, main, 'serve'],
    gone: () => undefined,
  }),
  'installed it': async () => {
    const place = new PackagePlace();
    await place.pack('built');
    await place.installGlobally();
    const cwd = place.empty();
    // Its README row fetches it from where packages come from; the registry on loopback has only what we depend on.
    const tools = '@modelcontextprotocol/server-filesystem';
    mkdirSync(join(cwd, 'node_modules', '.bin'), { recursive: true });
    mkdirSync(join(cwd, 'node_modules', '@modelcontextprotocol'));
    symlinkSync(join(root, 'node_modules', tools), join(cwd, 'node_modules', tools));
    const program = join('node_modules', '.bin', 'mcp-server-filesystem');
    symlinkSync(realpathSync(join(root, program)), join(cwd, program));
    return {
      cwd,
      env: { ...process.env, ...place.env },
      serve: ['harn-gateway', 'serve'],
      gone: () => place.remove(),
    };
  },
};

describe('the README', () => {
  it('has no command that nothing runs', () => {
    const commands = blocks('sh').flatMap((text) => text.trim().split('\n'));
    expect(commands).toEqual(Object.keys(RUN_BY));
  });
});

describe.each(Object.entries(READERS))('the README, for who %s', (_, readerOf) => {
  const data = mkdtempSync(join(tmpdir(), 'harn-readme-'));
  let reader: Reader;
  let cwd: string;
  let env: NodeJS.ProcessEnv;
  let gateway: ChildProcess;
  let told = '';

  function serve(
    flags: string[],
    own: NodeJS.ProcessEnv,
    stderr: 'pipe' | 'ignore' = 'ignore',
  ): ChildProcess {
    const [program, ...args] = reader.serve;
    return spawn(program, [...args, ...flags], { cwd, env: own, stdio: ['ignore', 'pipe', stderr] });
  }

  beforeAll(async () => {
    reader = await readerOf();
    cwd = reader.cwd;
    env = { ...reader.env, HARN_GATEWAY_DATA: data, HARN_GATEWAY_PORT: '0' };
    gateway = serve([], env, 'pipe');
    gateway.stderr?.on('data', (text) => {
      told += String(text);
    });
    await new Promise<void>((resolve, reject) => {
      gateway.stdout?.once('data', () => resolve());
      gateway.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${told}`)));
    });
    while (!told.includes('Without curl')) await new Promise((resolve) => setTimeout(resolve, 10));
  }, 120_000);

  afterAll(async () => {
    const ended = new Promise((resolve) => gateway.once('exit', resolve));
    gateway.kill('SIGTERM');
    await ended;
    rmSync(data, { recursive: true, force: true });
    reader.gone();
  });

  it('gives a first success with the command line', async () => {
    const { stdout } = await run('npx', ['harn-gateway', 'task', 'stream 3', '--follow'], { cwd, env });
    expect(stdout).toContain('chunk 3 of 3');
    expect(stdout.trim().split('\n').at(-1)).toBe('task.completed');
  });

  it('sends the sample connector a signed delivery, which becomes a task', async () => {
    const { url } = JSON.parse(readFileSync(join(data, 'gateway.json'), 'utf8')) as { url: string };
    const told = blocks('sh').find((text) => text.includes('connectors/sample')) ?? '';
    const commands = told
      .replaceAll('http://127.0.0.1:8080', url)
      .replaceAll('data/sample-connector-secret', join(data, 'sample-connector-secret'));
    const { stdout } = await run('bash', ['-c', commands], { cwd, env });
    const delivery = JSON.parse(stdout) as { object: string; task_id: string };
    expect(delivery.object).toBe('connector_delivery');
    const followed = await run('npx', ['harn-gateway', 'task', '--task', delivery.task_id, '--follow'], {
      cwd,
      env,
    });
    expect(followed.stdout).toContain('chunk 2 of 2');
    const unsigned = await run('bash', ['-c', commands.replace('v1=', 'v1=0')], { cwd, env });
    expect(JSON.parse(unsigned.stdout)).toMatchObject({ error: { code: 'unauthenticated' } });
    expect(statSync(join(data, 'sample-connector-secret')).mode & 0o777).toBe(0o600);
  });

  it('the commands printed at the start submit a task, follow it and show the card', async () => {
    const commands = told.split('\n').filter((line) => line.startsWith('   '));
    expect(commands).toHaveLength(4);
    const { stdout } = await run('bash', ['-c', commands.join('\n')], { cwd, env });
    expect(stdout).toContain('event: task.completed');
    expect(stdout).toContain('"harn_agent_card"');
  });

  it('verifies the receipts of a task, leaving nothing unchecked, and rotates the key', async () => {
    const { url } = JSON.parse(readFileSync(join(data, 'gateway.json'), 'utf8')) as { url: string };
    const KEY = readFileSync(join(data, 'dev-api-key'), 'utf8').trim();
    const [keep = '', verify = ''] = blocks('sh')
      .filter((text) => text.includes('earlier.json'))
      .map((text) => text.replaceAll('http://127.0.0.1:8080', url))
      .map((text) => text.replaceAll(/(?<= )(receipts|jwks|earlier)\.json/g, join(data, '$1.json')));
    await run('bash', ['-c', keep], { cwd, env: { ...env, KEY } });
    const { stdout } = await run('npx', ['harn-gateway', 'task', 'hello', '--follow'], { cwd, env });
    const own = { ...env, TASK: stdout.split(' ')[0] };
    const verified = await run('bash', ['-c', verify], { cwd, env: own });
    expect(verified.stdout.trim().split('\n').at(-1)).toBe('ok: 1 receipt');
    const rotated = await run('npx', ['harn-gateway', 'keys', 'rotate'], { cwd, env });
    expect(rotated.stdout).toContain('current');
  });

  it('replays a task', async () => {
    const { stdout } = await run('npx', ['harn-gateway', 'task', 'hello', '--follow'], { cwd, env });
    const command = blocks('sh').find((text) => text.includes(' replay ')) ?? '';
    const own = { ...env, TASK: stdout.split(' ')[0] };
    const replayed = await run('bash', ['-c', command], { cwd, env: own });
    expect(replayed.stdout).toContain('byte_equal: ');
  });

  it('hands a session to another gateway in two commands', async () => {
    await run('npx', ['harn-gateway', 'task', 'fail', '--follow'], { cwd, env }).catch(() => undefined);
    const listed = await run('npx', ['harn-gateway', 'session', 'list', '--json', '--limit', '1'], {
      cwd,
      env,
    });
    const { id: SESSION } = JSON.parse(listed.stdout) as { id: string };
    const told = blocks('sh').find((text) => text.includes('session export')) ?? '';
    const [export_ = '', import_ = ''] = told
      .replaceAll('run.bundle.json', join(data, 'run.bundle.json'))
      .trim()
      .split('\n');
    await run('bash', ['-c', export_], { cwd, env: { ...env, SESSION } });
    const theirs = mkdtempSync(join(tmpdir(), 'harn-readme-'));
    const there = { ...env, HARN_GATEWAY_DATA: theirs };
    const colleague = serve([], there);
    try {
      await new Promise((resolve) => colleague.stdout?.once('data', resolve));
      const { stdout } = await run('bash', ['-c', import_], { cwd, env: there });
      expect(stdout).toContain(`${SESSION} restored in workspace_`);
    } finally {
      const ended = new Promise((resolve) => colleague.once('exit', resolve));
      colleague.kill('SIGTERM');
      await ended;
      rmSync(theirs, { recursive: true, force: true });
    }
  }, 120_000);

  it('verifies the cards of the gateway in two commands', async () => {
    const { url } = JSON.parse(readFileSync(join(data, 'gateway.json'), 'utf8')) as { url: string };
    const told = blocks('sh').find((text) => text.includes('card verify')) ?? '';
    const commands = told
      .replaceAll('http://127.0.0.1:8080', url)
      .replaceAll(/(?<= )keys\.json/g, join(data, 'keys.json'));
    const { stdout } = await run('bash', ['-c', commands], { cwd, env });
    const [headings, ...verdicts] = stdout.trim().split('\n');
    expect(headings).toMatch(/^CARD +NAME +STATUS/);
    expect(verdicts.length).toBeGreaterThanOrEqual(3);
    for (const line of verdicts) expect(line).toContain('  verified');
  });

  it('its configuration for an agent of your own passes the check, and serves', async () => {
    const [yaml = ''] = blocks('yaml');
    const file = join(data, 'my-gateway.yaml');
    writeFileSync(file, yaml);
    const { stdout } = await run('npx', ['harn-gateway', 'check', '--config', file], { cwd, env });
    expect(stdout).toContain('is fine');
    const own = mkdtempSync(join(tmpdir(), 'harn-readme-own-'));
    const child = serve(['--config', file], { ...env, HARN_GATEWAY_DATA: own });
    const ready = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (text) => resolve(String(text))),
    );
    expect(JSON.parse(ready)).toMatchObject({ event: 'ready' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    rmSync(own, { recursive: true, force: true });
  });

  it('its five lines make the tools of a filesystem server Skills, and /mcp offers them', async () => {
    const yaml = blocks('yaml').find((text) => text.includes('mcp:')) ?? '';
    const own = mkdtempSync(join(tmpdir(), 'harn-readme-mcp-'));
    const file = join(own, 'mcp.yaml');
    writeFileSync(file, yaml);
    const child = serve(['--config', file], { ...env, HARN_GATEWAY_DATA: own });
    const ready = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (text) => resolve(String(text))),
    );
    const { url } = JSON.parse(ready) as { url: string };
    const key = readFileSync(join(own, 'dev-api-key'), 'utf8').trim();
    const [, snippet = ''] = /```json\n(\{ "mcpServers".*?)```/s.exec(readme) ?? [];
    const { mcpServers } = JSON.parse(
      snippet.replace('http://127.0.0.1:8080', url).replace('<key>', key),
    ) as { mcpServers: { harn: { url: string; headers: Record<string, string> } } };
    const { harn } = mcpServers;
    const client = new Client({ name: 'readme', version: '1' });
    const requestInit = { headers: harn.headers };
    const transport = new StreamableHTTPClientTransport(new URL(harn.url), { requestInit });
    await client.connect(transport as unknown as Transport);
    let names: string[] = [];
    while (!names.includes('files__read_text_file')) {
      names = (await client.listTools()).tools.map(({ name }) => name);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await client.close();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    rmSync(own, { recursive: true, force: true });
  });

  it('is protected by an issuer in ten lines, whose client gets a token and uses it', async () => {
    const issuer = new OAuth2Server();
    await issuer.issuer.keys.generate('RS256');
    await issuer.start(0, '127.0.0.1');
    const asked: Record<string, unknown>[] = [];
    issuer.service.on('beforeTokenSigning', ({ header, payload }, { body, headers }) => {
      asked.push({ ...body, authorization: headers.authorization });
      Object.assign(header, { typ: 'at+jwt' });
      Object.assign(payload, { sub: 'robot', aud: 'https://gateway.example.com' });
    });
    const yaml = blocks('yaml').find((text) => text.includes('oauth:')) ?? '';
    const [, ...commands] = (blocks('sh').find((text) => text.includes('client_credentials')) ?? '')
      .trim()
      .split('\n');
    const lines = [...yaml.trim().split('\n').slice(1), ...commands];
    expect(lines.length).toBeLessThanOrEqual(10);
    const withIssuer = (text: string) =>
      text.replaceAll('https://login.example.com', issuer.issuer.url ?? '');
    const own = mkdtempSync(join(tmpdir(), 'harn-readme-oauth-'));
    const file = join(own, 'protected.yaml');
    writeFileSync(file, withIssuer(yaml));
    const child = serve(['--config', file], { ...env, HARN_GATEWAY_DATA: own });
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    const client = { ...env, HARN_GATEWAY_DATA: own, CLIENT_ID: 'robot', CLIENT_SECRET: 'secret' };
    const { stdout } = await run('bash', ['-c', withIssuer(commands.join('\n'))], { cwd, env: client });
    expect(stdout.trim().split('\n').at(-1)).toBe('task.completed');
    expect(asked).toMatchObject([
      { resource: 'https://gateway.example.com', authorization: `Basic ${btoa('robot:secret')}` },
    ]);
    const { url } = JSON.parse(readFileSync(join(own, 'gateway.json'), 'utf8')) as { url: string };
    const refused = await fetch(`${url}/mcp`, { method: 'POST' });
    expect(refused.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await Promise.all([ended, issuer.stop()]);
    rmSync(own, { recursive: true, force: true });
  }, 120_000);

  it('makes a key whose row the configuration accepts', async () => {
    const { stdout } = await run(
      'npx',
      ['harn-gateway', 'api-keys', 'create', '--row', '--id', 'ci', '--actor', 'ci-bot'],
      {
        cwd,
        env,
      },
    );
    const row = stdout.split('auth.api_keys: ')[1] ?? '';
    const file = join(data, 'keyed.yaml');
    writeFileSync(file, `auth:\n  api_keys:\n    - ${row}`);
    const checked = await run('npx', ['harn-gateway', 'check', '--config', file], { cwd, env });
    expect(checked.stdout).toContain('is fine');
  });
});
