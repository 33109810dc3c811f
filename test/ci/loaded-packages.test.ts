import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Child, PACKAGE_ROOT } from '../faults/child-processes.ts';

/** Tells of each module before it is loaded. */
const HOOK = `
  import { writeSync } from 'node:fs';
  export async function load(url, context, next) {
    writeSync(2, 'LOADED ' + url + '\\n');
    return next(url, context);
  }`;
const dataUrl = (module: string) => `data:text/javascript,${encodeURIComponent(module)}`;
const TELLING = dataUrl(
  `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(HOOK))});`,
);

/** The modules as they are: in the bundle, a package is part of a file of ours. */
const PROGRAM = `${PACKAGE_ROOT}dist/src/main.js`;

let folder: string | undefined;
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Names of the packages of which a gateway has loaded modules when it is ready. */
async function loadedAtStart(): Promise<string[]> {
  folder = mkdtempSync(join(tmpdir(), 'harn-loaded-'));
  const serve = ['serve', '--port', '0', '--quiet', '--unlisted', '--data', join(folder, 'data')];
  const child = new Child(['--import', TELLING, PROGRAM, ...serve]);
  expect(await child.firstLine(), child.stderr).toContain('ready');
  const { stderr } = await child.end('SIGTERM');
  const names = [...stderr.matchAll(/^LOADED .*\/node_modules\/((?:@[^/]+\/)?[^/]+)/gm)];
  return [...new Set(names.map(([, name = '']) => name))];
}

describe('a start with the default configuration', () => {
  it('loads no package that only a configuration or a request needs', async () => {
    const loaded = await loadedAtStart();
    expect(loaded).toEqual(expect.arrayContaining(['koa', 'level', 'ws']));
    const needed =
      /^@modelcontextprotocol\/|^@agentclientprotocol\/|^@grpc\/|^@bufbuild\/|^@nats-io\/|^(undici|ajv|re2js)$/;
    expect(loaded.filter((name) => needed.test(name))).toEqual([]);
  });
});
