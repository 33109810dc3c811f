// Makes the package out of the build: `npm pack` runs it before (`prepack`) and after (`postpack`) it fills the tarball.
//
//   node config/pack.mjs before   list of parts, licence texts, and the package.json and the pages of the package in the place of ours
//   node config/pack.mjs after    ours again; the way back too where npm was ended in between
//   node config/pack.mjs publish  refuses `npm publish` of the folder, which would tell the registry of our package.json
//
// The bundle carries all that it runs but the binary of classic-level, so that is all the package depends on: of the very version
// whose JavaScript is in the bundle.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative } from 'node:path';

/** Our files, while those of the package are in their place. */
const KEPT = 'dist/kept';
const HALF = '.half';
/** Packages that stay outside the bundle (config/bundle.mjs). */
const INSTALLED = ['classic-level'];
const OF_THE_REPOSITORY = ['private', 'scripts', 'imports', 'devDependencies'];

const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const text = (value) => `${JSON.stringify(value, undefined, 2)}\n`;
/** The name of the package that is installed at a path of the lockfile. */
const nameAt = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

const steps = { before, after, publish };
const step = steps[process.argv[2]];
if (step === undefined) throw new Error(`say which of ${Object.keys(steps).join(', ')}`);
await step();

async function before() {
  after();
  const manifest = json('package.json');
  const { packages } = json('package-lock.json');
  const carried = [...new Set([...json('dist/bundled-packages.json'), ...INSTALLED.flatMap((name) => withAllOf(packages, name))])];
  await writeFile('dist/sbom.cdx.json', text(await listOfParts(manifest, packages, carried)));
  await writeFile('dist/licenses.txt', licenceTexts(packages, carried));
  for (const [page, said] of pagesOfPackage()) replace(page, said);
  replace('package.json', text(published(manifest, packages)));
}

function after() {
  if (!existsSync(KEPT)) return;
  for (const entry of readdirSync(KEPT, { recursive: true, withFileTypes: true })) {
    const kept = join(entry.parentPath, entry.name);
    if (entry.isFile() && !kept.endsWith(HALF)) renameSync(kept, relative(KEPT, kept));
  }
  rmSync(KEPT, { recursive: true });
}

/** First a whole copy, so that there is a way back at every moment. */
function replace(path, said) {
  const kept = join(KEPT, path);
  mkdirSync(dirname(kept), { recursive: true });
  copyFileSync(path, kept + HALF);
  renameSync(kept + HALF, kept);
  writeFileSync(path, said);
}

/** The pages that lead to what the package does not have, with plain words in the place of such links. */
function pagesOfPackage() {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [{ files }] = JSON.parse(npm(args, '.'));
  const paths = files.map(({ path }) => path);
  const has = (wanted) => paths.some((path) => path === wanted || path.startsWith(`${wanted.replace(/\/$/, '')}/`));
  return paths.flatMap((page) => {
    if (!page.endsWith('.md')) return [];
    const ours = readFileSync(page, 'utf8');
    const said = ours.replaceAll(/!?\[([^\]]+)\]\((?!\w+:|#)([^)#]+)[^)]*\)/g, (link, words, path) =>
      has(posix.join(posix.dirname(page), path)) ? link : words,
    );
    return said === ours ? [] : [[page, said]];
  });
}

/** npm of the same Node as this, without the settings of the npm that runs this script: --dry-run is none of theirs. */
function npm(args, cwd) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_(?!cache)/i.test(name)));
  return execFileSync('npm', args, { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 26, shell: process.platform === 'win32' });
}

function publish() {
  const { name, version } = json('package.json');
  console.error(`Publish what was packed and tried, not the folder: npm pack && npm publish ./${name}-${version}.tgz`);
  process.exitCode = 1;
}

/** Our package.json less what only the repository needs. */
function published(manifest, packages) {
  const own = Object.fromEntries(Object.entries(manifest).filter(([name]) => !OF_THE_REPOSITORY.includes(name)));
  return { ...own, dependencies: Object.fromEntries(INSTALLED.map((name) => [name, packages[`node_modules/${name}`].version])) };
}

/**
 * CycloneDX of everything that the product depends on and of what the pages it serves are built of, which development brings; what
 * neither the bundle has nor an installation brings is `excluded`. npm leaves out what development needs too, so it is asked about a
 * lockfile without development.
 */
async function listOfParts({ devDependencies, ...own }, packages, carried) {
  const folder = await mkdtemp(join(tmpdir(), 'harn-sbom-'));
  try {
    const isPart = (path) => path !== '' && (packages[path]?.dev === undefined || carried.includes(path));
    const product = Object.entries(packages).flatMap(([path, part]) => (isPart(path) ? [[path, builtInto(part, isPart)]] : []));
    const pages = Object.entries(devDependencies).filter(([name]) => carried.includes(`node_modules/${name}`));
    const manifest = { ...own, dependencies: { ...own.dependencies, ...Object.fromEntries(pages) } };
    await writeFile(join(folder, 'package.json'), text(manifest));
    const lock = { name: manifest.name, version: manifest.version, lockfileVersion: 3, requires: true };
    await writeFile(join(folder, 'package-lock.json'), text({ ...lock, packages: { '': manifest, ...Object.fromEntries(product) } }));
    const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
    const told = JSON.parse(npm(args, folder));
    const ids = new Set(carried.map((path) => `${nameAt(path)}@${packages[path].version}`));
    // Neither the time nor a number drawn by lot: the same sources give the same list.
    const { serialNumber: _serial, metadata: { timestamp: _time, ...metadata }, ...rest } = told;
    const component = { ...metadata.component, name: manifest.name, properties: [] };
    const scoped = rest.components.map((part) => ({ ...part, scope: ids.has(part['bom-ref']) ? 'required' : 'excluded' }));
    return { ...rest, metadata: { ...metadata, component }, components: scoped };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A package as it is listed: one that is built into a page has left behind what the page has no code of. */
function builtInto(part, isPart) {
  if (part.dev !== true) return part;
  const { dev: _, peerDependencies: _peers, peerDependenciesMeta: _meta, dependencies = {}, ...rest } = part;
  const kept = Object.entries(dependencies).filter(([name]) => isPart(`node_modules/${name}`));
  return { ...rest, dependencies: Object.fromEntries(kept) };
}

/** Lockfile paths of a package at the top and of all that it depends on. */
function withAllOf(packages, name, found = []) {
  const path = `node_modules/${name}`;
  if (packages[path] === undefined || found.includes(path)) return found;
  found.push(path);
  for (const each of Object.keys(packages[path].dependencies ?? {})) withAllOf(packages, each, found);
  return found;
}

/** The licences of what the package carries ask to be passed on with it. */
function licenceTexts(packages, carried) {
  const parts = carried.toSorted().map((path) => {
    const files = readdirSync(path).filter((name) => /^(licen[sc]e|copying|notice)/i.test(name)).toSorted();
    const texts = files.map((name) => readFileSync(join(path, name), 'utf8').trim());
    return [`${nameAt(path)} ${packages[path].version} (${packages[path].license})`, ...texts].join('\n\n');
  });
  return `The packages that the bundle of harn-gateway carries, with their licences.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
