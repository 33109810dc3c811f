import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { GatewayPlace, GatewayProcess } from '../faults/gateway-process.ts';
import { acpAgentCommand } from '../harness/acp-stage.ts';
import { postStateless } from '../harness/mcp-post.ts';

// Made by `npm run build`, which `npm test` runs first.
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** They run when they are loaded. */
const ENTRIES = ['main.cjs', 'sample-agent.cjs'];
const BUNDLE = join(ROOT, 'dist', 'bundle');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

let folder: string | undefined;
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** What became of the compiled code of each chunk that a command line loads: `false` is taken, `undefined` is missing. */
function compiledChunks(...args: string[]): [string, boolean | null][] {
  const program = `
    import { load, scripts } from ${JSON.stringify(pathToFileURL(join(BUNDLE, 'load.js')).href)};
    process.argv = ['node', 'harn-gateway', ...${JSON.stringify(args)}];
    process.on('exit', () => {
      const found = [...scripts].map(([path, { cachedDataRejected }]) => [path, cachedDataRejected ?? null]);
      process.stderr.write(JSON.stringify(found));
    });
    load('./main.cjs');`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  return JSON.parse(stderr) as [string, boolean | null][];
}

/** A copy of the package, of which the test may damage what it likes. */
function copyOfPackage(): { main: string; compiled: string[] } {
  folder = mkdtempSync(join(tmpdir(), 'harn-bundle-'));
  for (const name of ['package.json', 'dist/bundle', 'config'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const bundle = join(folder, 'dist', 'bundle');
  const compiled = readdirSync(bundle).filter((name) => name.endsWith('.compiled'));
  return { main: join(bundle, 'main.js'), compiled: compiled.map((name) => join(bundle, name)) };
}

const versionOf = (main: string) => execFileSync(process.execPath, [main, '--version'], { encoding: 'utf8' });

describe('the bundle', () => {
  it.each([['--version'], ['acp', '--help']])(
    'is loaded with code that was compiled ahead: %s',
    (...args) => {
      const chunks = compiledChunks(...args);
      expect(chunks.length).toBeGreaterThan(2);
      expect(chunks.filter(([, rejected]) => rejected !== false)).toEqual([]);
    },
  );

  it.each<[string, (path: string, bytes: Buffer) => void]>([
    ['missing', (path) => unlinkSync(path)],
    ['empty', (path) => writeFileSync(path, '')],
    ['cut in half', (path, bytes) => writeFileSync(path, bytes.subarray(0, bytes.length / 2))],
    [
      'damaged',
      (path, bytes) =>
        writeFileSync(
          path,
          bytes.map((byte, at) => (at % 997 === 500 ? byte ^ 4 : byte)),
        ),
    ],
  ])('runs as well where the compiled code is %s', (_, damage) => {
    const { main, compiled } = copyOfPackage();
    expect(compiled.length).toBeGreaterThan(2);
    for (const path of compiled) damage(path, readFileSync(path));
    expect(versionOf(main)).toBe(`${version}\n`);
  });

  it('runs what its files say when they were changed after the build', () => {
    const { main } = copyOfPackage();
    const bundle = join(main, '..');
    for (const name of readdirSync(bundle).filter(
      (name) => name.startsWith('program-') && name.endsWith('.cjs'),
    )) {
      const source = readFileSync(join(bundle, name), 'utf8');
      const changed = source.replace(
        'Protocol gateway that gives every agent',
        'PROTOCOL GATEWAY that gives every agent',
      );
      expect(changed).not.toBe(source);
      writeFileSync(join(bundle, name), changed);
    }
    expect(execFileSync(process.execPath, [main, '--help'], { encoding: 'utf8' })).toContain(
      'PROTOCOL GATEWAY',
    );
  });

  it('has no chunk that cannot be loaded', () => {
    const chunks = readdirSync(BUNDLE).filter((name) => name.endsWith('.cjs') && !ENTRIES.includes(name));
    expect(chunks.length).toBeGreaterThan(20);
    const program = `
      import { load } from ${JSON.stringify(pathToFileURL(join(BUNDLE, 'load.js')).href)};
      for (const name of ${JSON.stringify(chunks)}) {
        const exported = load('./' + name);
        for (const each of Object.keys(exported)) exported[each];
      }`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('serves agents and tools whose packages are loaded when they are needed', async () => {
    const tools = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
    const at = new GatewayPlace({
      upstreams: {
        a2a: undefined,
        acp: [{ id: 'coder', command: acpAgentCommand() }],
        mcp: [{ id: 'tools', command: [process.execPath, tools, 'stdio'] }],
      },
    });
    const gateway = new GatewayProcess([join(BUNDLE, 'main.js'), 'serve', '--config', at.config]);
    try {
      await gateway.ready;
      const { client } = gateway;
      const tasks: [route: string, text: string][] = [
        ['a2a:sample', 'stream 3'],
        ['acp:coder', 'hello'],
        ['mcp:tools', '{"skill_id": "tools__echo", "input": {"message": "over"}}'],
      ];
      for (const [route, text] of tasks) {
        const task = await client.submit(text, undefined, { route });
        await client.until(task.id, 'COMPLETED');
      }
      const listed = await postStateless(
        `${client.url}/mcp`,
        { authorization: `Bearer ${client.key}` },
        'tools/list',
        {},
      );
      expect(await listed.text()).toContain('"ask_coder"');
    } finally {
      await gateway.kill();
      at.remove();
    }
  });
});
