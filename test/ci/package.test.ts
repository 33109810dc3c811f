import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PACKAGE_ROOT } from '../faults/child-processes.ts';
import { AcpLauncher } from '../harness/acp-launcher.ts';
import { PackagePlace } from '../harness/packed.ts';
import { allOf, environmentOf, readDockerfile } from './dockerfile.ts';

interface Part {
  name: string;
  version: string;
  scope: string;
  licenses?: { license?: { id?: string }; expression?: string }[];
}

/** Of parts under several licences at once: all of them. */
function licencesOf({ licenses = [] }: Part): string[] {
  return licenses.flatMap(({ license, expression = '' }) =>
    license?.id === undefined ? expression.replaceAll(/[()]/g, '').split(' AND ') : [license.id],
  );
}

/** Their texts ask for no more than to be passed on, which dist/licenses.txt does. The Unlicense gives to the public domain. */
const COMPATIBLE = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
];
const MEGABYTE = 1e6;
const LONG_MS = 300_000;

const place = new PackagePlace();
const inClone = (path: string) => readFileSync(join(place.clone, path), 'utf8');
const inPackage = (path: string) =>
  readFileSync(join(place.prefix, 'lib', 'node_modules', 'harn-gateway', path), 'utf8');
let before: string;
const open: AcpLauncher[] = [];

beforeAll(async () => {
  await place.pack('with a build');
  before = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  await place.installGlobally();
}, LONG_MS);
afterAll(() => place.remove());
afterEach(() => {
  for (const { process } of open.splice(0)) process.kill('SIGKILL');
});

/** A first prompt, as an editor that starts `command` sends it; the gateway that is started for it ends with it. */
async function driveAsEditor(command: readonly [string, ...string[]]): Promise<void> {
  const state = join(place.empty(), 'state');
  const env = { ...place.env, XDG_STATE_HOME: state };
  const launcher = new AcpLauncher(['--data', join(state, 'data')], env, { command, cwd: place.empty() });
  open.push(launcher);
  const client = await launcher.client.begin();
  // What the registry of agents asks for when it takes an entry.
  expect(client.initialized.authMethods?.length, launcher.stderr).toBeGreaterThan(0);
  const { sessionId } = await client.session();
  expect(await client.prompt(sessionId, 'stream 2')).toMatchObject({ stopReason: 'end_turn' });
  expect(client.text()).toContain('chunk 2 of 2');
  expect(await launcher.close(), launcher.stderr).toBe(0);
}

describe('npm pack', () => {
  it('takes the build, the pages, the settings and the licences, and no tests or sources', () => {
    const paths = place.packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'SECURITY.md',
        'config/acp-registry/agent.json',
        'config/gateway.example.yaml',
        'config/gateway.yaml',
        'config/sample-agent/card.json',
        'config/sample-agent/main.ts',
        'dist/bundle/load.js',
        'dist/bundle/main.js',
        'dist/bundle/sample-agent.js',
        'dist/client/index.d.ts',
        'dist/client/index.js',
        'dist/licenses.txt',
        'dist/sbom.cdx.json',
      ]),
    );
    const unwanted =
      /(^|\/)test\/|\.test\.|\.map$|^fixtures\/|^dist\/(?!bundle\/|client\/|licenses|sbom)|^(src|bridges)\/.*\.ts$/;
    expect(paths.filter((path) => unwanted.test(path))).toEqual([]);
    expect(paths.filter((path) => /^config\/[^/]+\.(mjs|json|ts)$/.test(path))).toEqual([]);
  });

  it('has every page that its README leads to, but those of the tests', () => {
    const links = [...inClone('README.md').matchAll(/\]\((?!https?:)([^)#]+\.md)/g)].map(([, path]) => path);
    const ofUsers = links.filter((path = '') => !/^(fixtures|test)\//.test(path));
    expect(ofUsers.length).toBeGreaterThan(10);
    expect(place.packed.files.map(({ path }) => path)).toEqual(expect.arrayContaining(ofUsers));
  });

  it('has pages that lead to what is in it, and to nothing else', () => {
    const root = join(place.prefix, 'lib', 'node_modules', 'harn-gateway');
    const pages = place.packed.files.flatMap(({ path }) => (path.endsWith('.md') ? [path] : []));
    const links = pages.flatMap((page) =>
      [...inPackage(page).matchAll(/\]\((?!\w+:|#)([^)#]+)/g)].map(([, path = '']) =>
        join(dirname(page), path),
      ),
    );
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    // The words of the others stay.
    expect(inPackage('README.md')).toContain('1. `src/surfaces` decodes HTTP into a `Call` (src/gateway.ts)');
  });

  it('says nowhere where it was built', () => {
    const root = join(place.prefix, 'lib', 'node_modules', 'harn-gateway');
    for (const { path } of place.packed.files) {
      const bytes = readFileSync(join(root, path));
      for (const built of [place.clone, PACKAGE_ROOT])
        expect([path, bytes.includes(built)]).toEqual([path, false]);
    }
  });

  it('is as small as the README says', () => {
    const [, packed = '', installed = ''] =
      /one file of (\d+) MB, (\d+) MB when it is installed/.exec(inClone('README.md')) ?? [];
    expect(Math.ceil(place.packed.size / MEGABYTE)).toBe(Number(packed));
    const bytes = readdirSync(join(place.prefix, 'lib'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name)).length, 0);
    expect(bytes / MEGABYTE).toBeGreaterThan(Number(installed) - 3);
    expect(bytes / MEGABYTE).toBeLessThan(Number(installed) + 1);
  });

  it('leaves the package.json and the pages of the repository as they were', () => {
    expect(inClone('package.json')).toBe(before);
    for (const { path } of place.packed.files.filter((file) => file.path.endsWith('.md')))
      expect([path, inClone(path)]).toEqual([path, readFileSync(join(PACKAGE_ROOT, path), 'utf8')]);
  });

  it('is repeated after one that was ended half-way', async () => {
    const clone = join(place.folder, 'clone');
    await place.run(process.execPath, ['config/pack.mjs', 'before'], clone);
    expect(inClone('package.json')).not.toBe(before);
    await place.run(process.execPath, ['config/pack.mjs', 'before'], clone);
    expect(JSON.parse(inClone('package.json')).dependencies).toEqual(
      JSON.parse(inPackage('package.json')).dependencies,
    );
    await place.run(process.execPath, ['config/pack.mjs', 'after'], clone);
    expect(inClone('package.json')).toBe(before);
  });

  it('is what is published, and not the folder', async () => {
    await expect(place.run('npm', ['publish', '--dry-run'], place.clone)).rejects.toThrow(
      'npm pack && npm publish ./harn-gateway-',
    );
    expect(inClone('package.json')).toBe(before);
  });
});

describe('the parts of the package', () => {
  const lock = () => JSON.parse(inClone('package-lock.json')) as { packages: Record<string, LockedPackage> };
  interface LockedPackage {
    version: string;
    dev?: boolean;
    devOptional?: boolean;
  }
  const nameAt = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const idAt = (path: string) => `${nameAt(path)}@${lock().packages[path]?.version}`;
  const list = () => JSON.parse(inPackage('dist/sbom.cdx.json')) as { bomFormat: string; components: Part[] };
  const idOf = ({ name, version }: Part) => `${name}@${version}`;

  it('are what is installed with it: the binary of the store, of the version that is in the bundle', () => {
    const manifest = JSON.parse(inPackage('package.json'));
    expect(manifest.dependencies).toEqual({
      'classic-level': lock().packages['node_modules/classic-level']?.version,
    });
    for (const name of ['private', 'scripts', 'devDependencies', 'imports'])
      expect(manifest).not.toHaveProperty(name);
    expect(manifest).toMatchObject({ bin: { 'harn-gateway': 'dist/bundle/main.js' }, license: 'Apache-2.0' });
  });

  it('are listed with every production dependency of the lockfile, and what the pages are built of', () => {
    expect(list()).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    const production = Object.entries(lock().packages).flatMap(([path, { dev, devOptional }]) =>
      path === '' || dev || devOptional ? [] : [idAt(path)],
    );
    expect(production.length).toBeGreaterThan(100);
    const bundled = JSON.parse(inClone('dist/bundled-packages.json')) as string[];
    expect(bundled.map(nameAt)).toEqual(expect.arrayContaining(['@mantine/core', 'react-dom']));
    expect(new Set(list().components.map(idOf))).toEqual(new Set([...production, ...bundled.map(idAt)]));
  });

  it('are marked as such: what the bundle has code of, and what is installed', () => {
    const bundled = JSON.parse(inClone('dist/bundled-packages.json')) as string[];
    const installed = readdirSync(
      join(place.prefix, 'lib', 'node_modules', 'harn-gateway', 'node_modules'),
    ).filter((name) => !name.startsWith('.'));
    const carried = [...bundled, ...installed.map((name) => `node_modules/${name}`)].map(idAt);
    const required = list().components.filter(({ scope }) => scope === 'required');
    expect(new Set(required.map(idOf))).toEqual(new Set(carried));
  });

  it('have licences that go with ours', () => {
    const licences = list().components.map((part) => ({ part: idOf(part), ids: licencesOf(part) }));
    const isFine = (ids: string[]) => ids.length > 0 && ids.every((id) => COMPATIBLE.includes(id));
    expect(licences.filter(({ ids }) => !isFine(ids))).toEqual([]);
  });

  it('come with the texts of their licences', () => {
    const texts = inPackage('dist/licenses.txt').split(`\n\n${'-'.repeat(80)}\n\n`);
    const required = list().components.filter(({ scope }) => scope === 'required');
    for (const part of required)
      expect(
        texts.some((text) => text.includes(`${part.name} ${part.version} (`)),
        idOf(part),
      ).toBe(true);
    // The rest names its licence in its package.json alone.
    const bare = texts.filter((text) => !/copyright|permission|licen[sc]e/i.test(text));
    expect(bare.length).toBeLessThan(5);
  });
});

describe('the installed program', () => {
  // npx takes an absolute path for a program and not for a package.
  it.each(['../', 'file:../'])(
    'runs by npx from an empty folder, out of the file that npm pack made: %s',
    async (from) => {
      const nothingInstalled = { npm_config_prefix: place.empty() };
      const file = `${from}${place.packed.filename}`;
      const said = await place.run('npx', ['--yes', file, '--version'], place.empty(), nothingInstalled);
      expect(said).toBe(`${JSON.parse(before).version}\n`);
    },
  );

  it('has the help and the settings of the repository', async () => {
    const folder = place.empty();
    const help = await place.run('harn-gateway', ['--help'], folder);
    for (const name of ['serve', 'check', 'acp', 'mcp', 'receipt', 'replay', 'log'])
      expect(help).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(await place.run('harn-gateway', ['check'], folder)).toContain('is fine');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is that of a clone after npm link, once it is built', async () => {
    const prefix = place.empty();
    const own = { npm_config_prefix: prefix };
    await place.run('npm', ['link', '--ignore-scripts'], place.clone, own);
    const program = join(prefix, 'bin', 'harn-gateway');
    expect(realpathSync(program)).toBe(realpathSync(join(place.clone, 'dist', 'bundle', 'main.js')));
    expect(await place.run(program, ['--version'], place.empty(), own)).toBe(
      `${JSON.parse(before).version}\n`,
    );
  });

  it('is started by the entry for the registry of agents, from a package registry', async () => {
    const { distribution } = JSON.parse(inClone('config/acp-registry/agent.json')) as {
      distribution: { npx: { package: string; args: string[] } };
    };
    // Not the program that is installed on this machine.
    const fetched = ['npx', '--yes', '--prefix', place.empty(), distribution.npx.package] as const;
    await driveAsEditor([...fetched, ...distribution.npx.args]);
  }, 60_000);

  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const editors: [string, (text: string) => string[]][] = [
    ['Zed, `settings.json`', jsonCommand],
    ['JetBrains, `~/.jetbrains/acp.json`', jsonCommand],
    ['Neovim, CodeCompanion', (text) => quoted(/commands = \{ default = \{(.+?)\}/.exec(text)?.[1])],
    ['Emacs, agent-shell', (text) => quoted(/'\((.+?)\)/.exec(text)?.[1])],
  ];

  function jsonCommand(text: string): string[] {
    const { command, args } = JSON.parse(text).agent_servers.Harn as { command: string; args: string[] };
    return [command, ...args];
  }

  function quoted(text = ''): string[] {
    return [...text.matchAll(/"([^"]*)"/g)].map(([, word = '']) => word);
  }

  it.each(editors)(
    'is started by the row for %s',
    async (title, read) => {
      const from = readme.indexOf(`\n${title}`);
      expect(from).toBeGreaterThan(0);
      const [, row = ''] = /```\w+\n(.*?)```/s.exec(readme.slice(from)) ?? [];
      const [command = '', ...args] = read(row);
      await driveAsEditor([command, ...args]);
    },
    60_000,
  );

  it('is started by the row for MCP clients that start a program', async () => {
    const [row = ''] = /\{ "command": "npx", "args": \[.*?\] \}/.exec(readme) ?? [];
    const { command, args } = JSON.parse(row) as { command: string; args: string[] };
    const state = place.empty();
    const env = { ...place.env, XDG_STATE_HOME: state, HARN_GATEWAY_DATA: join(state, 'data') };
    const gateway = new AcpLauncher([], env, { command: ['harn-gateway', 'acp'], cwd: place.empty() });
    open.push(gateway);
    // The launcher starts a gateway, which the MCP server finds by its data directory.
    const editor = await gateway.client.begin();
    await editor.session();
    const client = new Client({ name: 'package', version: '1' });
    await client.connect(
      new StdioClientTransport({ command, args, env, cwd: place.empty(), stderr: 'ignore' }),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('ask_sample');
    await client.close();
    expect(await gateway.close()).toBe(0);
  }, 60_000);
});

/** What somebody writes who installed the package; its first connection to the stream breaks off. */
const PROGRAM = `
import { GatewayError, harnClient, type StreamedEvent } from 'harn-gateway/client';

const [url = '', key = ''] = process.argv.slice(2);
let streams: (string | null)[] = [];
const breaking = async (request: Request): Promise<Response> => {
  const response = await fetch(request);
  if (!request.url.endsWith('/stream')) return response;
  streams.push(request.headers.get('last-event-id'));
  if (streams.length > 1) return response;
  let left = 2_000;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (left <= 0) return controller.error(new TypeError('terminated'));
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
    },
  });
  return new Response(response.body?.pipeThrough(cut) ?? null, response);
};

for (const version of ['agents-protocol-2026-04-25', 'agents-protocol-2026-10-11'] as const) {
  streams = [];
  const gateway = harnClient({ url, key, version, fetch: breaking });
  const session = await gateway.post('/v1/sessions', { body: { workspace_id: 'workspace_default' } });
  const task = await gateway.post('/v1/sessions/{session_id}/tasks', {
    params: { path: { session_id: session.id }, header: { 'Idempotency-Key': 'one of ' + version } },
    body: { input: { role: 'user', parts: [{ type: 'text', text: 'stream 3', visibility: 'public' }] } },
  });
  const params = { path: { task_id: task.id } };
  const events: StreamedEvent[] = [];
  for await (const event of gateway.events('/v1/tasks/{task_id}/stream', { params })) events.push(event);
  const { data: kept } = await gateway.get('/v1/tasks/{task_id}/events', { params });
  const { data: receipts } = await gateway.get('/v1/tasks/{task_id}/receipts', { params });
  const path = { receipt_id: receipts[0]?.id ?? '' };
  const { valid } = await gateway.post('/v1/receipts/{receipt_id}/verify', { params: { path } });
  const refused = await gateway.get('/v1/tasks/{task_id}', { params: { path: { task_id: 'none' } } }).then(
    () => 'nothing',
    (error: unknown) => (error instanceof GatewayError ? [error.code, error.requestId?.slice(0, 4)] : String(error)),
  );
  const each = events.map(({ id }) => id).join() === kept.map(({ id }) => id).join();
  console.log(JSON.stringify({ version, valid, each, resumedAt: streams[1] === events.find((e) => e.id === streams[1])?.id, last: events.at(-1)?.event, refused }));
}
`;

describe('the client of the package', () => {
  it('has types that stand alone, and drives a gateway from an empty folder', async () => {
    const folder = place.empty();
    await place.run('npm', ['install', place.tarball], folder);
    writeFileSync(join(folder, 'use.ts'), PROGRAM);
    const compilerOptions = {
      ...{ target: 'es2022', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true, types: [] },
      ...{ lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'], skipLibCheck: false },
    };
    // Whoever uses it in Node has the types of Node; the two names it needs of them here are said beside it.
    writeFileSync(join(folder, 'node.d.ts'), 'declare const process: { argv: string[] };');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['use.ts', 'node.d.ts'] }),
    );
    const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
    await place.run(process.execPath, [tsc, '-p', '.'], folder);
    const data = join(folder, 'data');
    const gateway = spawn('harn-gateway', ['serve', '--port', '0', '--data', data], {
      cwd: folder,
      env: place.env,
    });
    try {
      const [line] = await once(createInterface({ input: gateway.stdout }), 'line');
      const { url } = JSON.parse(String(line)) as { url: string };
      const key = readFileSync(join(data, 'dev-api-key'), 'utf8').trim();
      const said = await place.run(process.execPath, ['use.js', url, key], folder);
      const refused = ['resource_not_found', 'req_'];
      const expected = { valid: true, each: true, resumedAt: true, last: 'receipt.issued', refused };
      expect(
        said
          .trim()
          .split('\n')
          .map((each) => JSON.parse(each)),
      ).toEqual([
        { version: 'agents-protocol-2026-04-25', ...expected },
        { version: 'agents-protocol-2026-10-11', ...expected },
      ]);
    } finally {
      gateway.kill('SIGTERM');
      await once(gateway, 'exit');
    }
  }, 120_000);
});

/** Namespaces and users of their own are what a container is made of; not everybody may make them. */
const mayIsolate = spawnSync('unshare', ['--mount', 'setpriv', '--version']).status === 0;

/** Makes everything read-only but the data, gives all rights away, and becomes the program of its arguments. */
const IN_A_CONTAINER = `set -eu
mount --make-rprivate /
mount --bind "$HARN_GATEWAY_DATA" "$HARN_GATEWAY_DATA"
mount -o remount,bind,ro /
if touch "$npm_config_prefix/written" 2>/dev/null; then exit 99; fi
exec setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"`;

describe.skipIf(!mayIsolate)(
  `the installed program in what a container is${mayIsolate ? '' : ' (skipped: no rights to make one)'}`,
  () => {
    it('serves as a user without rights who writes its data alone, and ends by SIGTERM', async () => {
      const dockerfile = readDockerfile(inClone('config/deploy/Dockerfile'));
      const data = join(place.folder, 'data');
      mkdirSync(data);
      chownSync(data, 1000, 1000);
      chmodSync(place.folder, 0o755);
      const env = {
        ...place.env,
        ...Object.fromEntries(environmentOf(dockerfile)),
        PATH: place.env['PATH'],
        HARN_GATEWAY_CONFIG: join(place.clone, 'config/deploy/kubernetes/gateway.yaml'),
        HARN_GATEWAY_PORT: '0',
        HARN_GATEWAY_DATA: data,
        HOME: '/tmp',
      };
      const command = JSON.parse(allOf(dockerfile, 'CMD')[0] ?? '[]') as string[];
      const args = ['--mount', 'sh', '-c', IN_A_CONTAINER, 'sh', 'harn-gateway', ...command];
      const gateway = spawn('unshare', args, { cwd: data, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      gateway.stderr.on('data', (text) => {
        said += String(text);
      });
      const ended = once(gateway, 'exit');
      try {
        const [line] = await Promise.race([once(createInterface({ input: gateway.stdout }), 'line'), ended]);
        expect(String(line), said).toContain('"ready"');
        const { port } = new URL(JSON.parse(String(line)).url);
        // As the kubelet does: by the address and the port, which it says as the name too.
        const { spec } = parse(inClone('config/deploy/kubernetes/stateful-set.yaml')).spec.template;
        for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
          const { path } = spec.containers[0][probe].httpGet;
          expect((await fetch(`http://127.0.0.1:${port}${path}`)).status, path).toBe(200);
        }
        const check = join(place.clone, 'config/deploy/container-health.mjs');
        await place.run(process.execPath, [check], data, { HARN_GATEWAY_PORT: port });
      } finally {
        gateway.kill('SIGTERM');
      }
      expect(await ended, said).toEqual([0, null]);
      expect(said).not.toMatch(/EROFS|EACCES|EPERM/);
      expect(readdirSync(data)).toEqual(expect.arrayContaining(['keys', 'store']));
    }, 60_000);
  },
);
