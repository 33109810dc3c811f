// Bundles the built product into dist/bundle: what `npm start` and the package run. A few files instead of 1,500, each with the
// code that V8 compiled of it: together a third of the CPU of a start. What is loaded on demand (the SDKs of the protocols) stays in
// files of its own. Run by `npm run build`.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, transform } from 'esbuild';

const OUT = 'dist/bundle';
/** More than a start takes on a busy machine. */
const WARM_UP_MS = 60_000;

/** A native addon finds its binary beside its own file; the rest of its package is bundled. */
const binaryStaysOutside = {
  name: 'binary-stays-outside',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/binding$/ }, ({ importer }) =>
      importer.includes('classic-level') ? { path: 'classic-level/binding.js', external: true } : undefined,
    ),
};

/** Reads protocol files at run time, which gRPC does for services that are not served here; it would bring a second codec along. */
const noProtocolFiles = {
  name: 'no-protocol-files',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^@grpc\/proto-loader$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
      contents: `exports.loadSync = () => { throw new Error('${path} is not part of this package'); };`,
    }));
  },
};

const ROOMS = resolve('dist/src/resources');
const ON_DEMAND = /import\(["'](\.\/[\w-]+\.js)["']\)/g;

/**
 * What the rooms load on demand is loaded of all of them: their code at a start, their examples with the OpenAPI document. Each
 * of the two in one piece here, not in a file for each part that two rooms share.
 */
const roomsInOnePiece = {
  name: 'rooms-in-one-piece',
  setup: ({ onLoad, onResolve }) => {
    const files = readdirSync(ROOMS, { withFileTypes: true }).flatMap((room) =>
      room.isDirectory()
        ? [...readFileSync(join(ROOMS, room.name, 'room.js'), 'utf8').matchAll(ON_DEMAND)].map(([, file]) =>
            join(ROOMS, room.name, file),
          )
        : [],
    );
    const pieceOf = (file) => (basename(file) === 'example.js' ? 'examples-of-rooms' : 'code-of-rooms');
    const nameOf = (file) => `file${files.indexOf(file)}`;
    onResolve({ filter: /^(code|examples)-of-rooms$/ }, ({ path }) => ({ path, namespace: 'rooms' }));
    onLoad({ filter: /.*/, namespace: 'rooms' }, ({ path }) => ({
      contents: files
        .filter((file) => pieceOf(file) === path)
        .map((file) => `export * as ${nameOf(file)} from ${JSON.stringify(file)};`)
        .join('\n'),
      resolveDir: ROOMS,
    }));
    onLoad({ filter: /[/\\]resources[/\\][\w-]+[/\\]room\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(ON_DEMAND, (_, wanted) => {
        const file = join(dirname(path), wanted);
        return `import('${pieceOf(file)}').then((piece) => piece.${nameOf(file)})`;
      }),
    }));
  },
};

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
const { outputFiles, metafile } = await build({
  entryPoints: { main: 'dist/src/main.js', 'sample-agent': 'dist/config/sample-agent/main.js' },
  outdir: OUT,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  outExtension: { '.js': '.cjs' },
  target: 'node20',
  // Errors and commands are known by the names of their classes.
  keepNames: true,
  // A package is named as the repository has it, wherever its files lie.
  preserveSymlinks: true,
  legalComments: 'external',
  logLevel: 'warning',
  // What `debug` uses where it is there. It is no dependency of ours: another package brings it to development alone.
  external: ['supports-color'],
  plugins: [binaryStaysOutside, noProtocolFiles, roomsInOnePiece],
  metafile: true,
  write: false,
});
const client = await bundleClient();
const viewer = await bundleDocs();
const carried = [...new Set([...packagesIn(metafile), ...client, ...viewer])].sort();
await writeFile('dist/bundled-packages.json', JSON.stringify(carried));
await Promise.all(outputFiles.map(({ path, text }) => (path.endsWith('.cjs') ? writeChunk(path, text) : writeFile(path, text))));
await copyFile('config/load-compiled.mjs', join(OUT, 'load.js'));
for (const name of ['main', 'sample-agent'])
  await writeFile(join(OUT, `${name}.js`), `#!/usr/bin/env node\nimport { load } from './load.js';\n\nload('./${name}.cjs');\n`);
await chmod(join(OUT, 'main.js'), 0o755);
await keepCompiledCode();

/** Where the packages are that the bundle has code of, as the lockfile names it: at the top, or inside of others. */
function packagesIn({ outputs }) {
  const carried = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0));
  const paths = carried.flatMap(([path]) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(paths)].sort();
}

/**
 * The client that the package exports: one module for browsers and Node, and beside it its types with those of the packages it is
 * made of, as nothing else is installed with it. Answers with these packages.
 */
async function bundleClient() {
  const { metafile } = await build({
    entryPoints: { index: 'dist/src/client/index.js' },
    outdir: 'dist/client',
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    keepNames: true,
    preserveSymlinks: true,
    legalComments: 'inline',
    logLevel: 'warning',
    metafile: true,
  });
  const typed = ['openapi-fetch', 'openapi-typescript-helpers'];
  for (const name of typed) await copyFile(`node_modules/${name}/dist/index.d.mts`, `dist/client/${name}.d.ts`);
  for (const file of readdirSync('dist/client').filter((name) => name.endsWith('.d.ts'))) {
    const path = join('dist/client', file);
    const besides = (_, name) => (typed.includes(name) ? `from './${name}.js'` : `from './${name.slice(2).replace(/\.ts$/, '.js')}'`);
    await writeFile(path, readFileSync(path, 'utf8').replaceAll(/from ['"](openapi-[\w-]+|\.\/[\w.-]+\.ts)['"]/g, besides));
  }
  return [...packagesIn(metafile), ...typed.map((name) => `node_modules/${name}`)];
}

/**
 * The page at /docs. Its files are kept by browsers for ever, so each bears the hash of its content in its name. Answers with the package
 * of the viewer.
 */
async function bundleDocs() {
  const folder = join(OUT, 'docs');
  await mkdir(join(folder, 'assets'), { recursive: true });
  const files = {
    'swagger-ui.css': 'node_modules/swagger-ui-dist/swagger-ui.css',
    'swagger-ui.js': 'node_modules/swagger-ui-dist/swagger-ui-bundle.js',
    'page.css': 'src/surfaces/docs/page.css',
    'page.js': 'src/surfaces/docs/page.js',
  };
  let page = readFileSync('src/surfaces/docs/index.html', 'utf8');
  for (const [name, path] of Object.entries(files)) {
    const bytes = readFileSync(path, 'utf8').replace(/\n?(\/\/|\/\*)# sourceMappingURL=.*\s*$/, '\n');
    const hashed = name.replace('.', `-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.`);
    // Kept as browsers take it; the gateway has the plain one where a client does not.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    await writeFile(join(folder, 'assets', `${hashed}.br`), brotliCompressSync(bytes, { params }));
    page = page.replace(`assets/${name}`, `assets/${hashed}`);
  }
  await writeFile(join(folder, 'index.html'), page);
  return ['node_modules/swagger-ui-dist'];
}

/** As a function of what it asks for, which is what V8 keeps compiled code of: it does for scripts, not for modules. */
async function writeChunk(path, text) {
  const { code } = await transform(text.replace(/^#!.*/, ''), {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__url' },
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: true,
    logLevel: 'warning',
  });
  await writeFile(path, `(function (exports, require, module, __url) {${code}\n})`);
}

/** What the product compiles until it is ready is what is kept; the last one to load a chunk is the one that needs most of it. */
async function keepCompiledCode() {
  const data = await mkdtemp(join(tmpdir(), 'harn-build-'));
  try {
    await warmUp(['./main.cjs', 'acp', '--help']);
    await warmUp(['./sample-agent.cjs', '--port', '0'], (child) => child.stdin.end());
    const serve = ['serve', '--port', '0', '--quiet', '--unlisted', '--data', data];
    await warmUp(['./main.cjs', ...serve], (child) => child.kill('SIGTERM'));
  } catch (error) {
    console.warn(`${basename(OUT)}: starts will take longer, as nothing could be compiled ahead: ${error.message}`);
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

/** Runs an entry, ends it at its first line, and lets it keep what V8 compiled. */
async function warmUp(args, end = () => undefined) {
  const child = spawn(process.execPath, ['config/keep-compiled.mjs', ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: WARM_UP_MS,
  });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  createInterface({ input: child.stdout }).once('line', () => end(child));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`"${args.join(' ')}" ended with ${code}: ${said.slice(-500)}`);
}
