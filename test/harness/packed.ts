import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '../faults/child-processes.ts';
import { installedWith, PackageRegistry, readManifest } from './package-registry.ts';

const run = promisify(execFile);

/** What the build and the package are made of. */
const SOURCES = [
  'src',
  'bridges',
  'mappings',
  'config',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];
const PAGES = ['LICENSE', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
const BUILT = ['dist/bundle', 'dist/bundled-packages.json'];

/** One file of the package, as `npm pack --json` tells of it. */
export interface PackedFile {
  readonly path: string;
  readonly size: number;
}

interface Packed {
  readonly filename: string;
  readonly files: readonly PackedFile[];
  readonly size: number;
  readonly unpackedSize: number;
}

/**
 * The package, made in a copy of the repository, and a machine to install it on: a home of its own, and a registry on loopback
 * that has the package and what it depends on, out of our own node_modules. So nothing leaves the machine, and no cache is needed.
 */
export class PackagePlace {
  readonly folder = mkdtempSync(join(tmpdir(), 'harn-package-'));
  readonly clone = join(this.folder, 'clone');
  readonly prefix = join(this.folder, 'prefix');
  #registry: PackageRegistry | undefined;
  tarball = '';
  packed: Packed = { filename: '', files: [], size: 0, unpackedSize: 0 };

  /** Packs as a maintainer does, with the build; `built` takes the build that is there, in a tenth of the time. */
  async pack(built: 'built' | 'with a build'): Promise<void> {
    this.#registry = await PackageRegistry.start();
    mkdirSync(this.clone);
    const files = [...SOURCES, ...PAGES, ...(built === 'built' ? BUILT : [])];
    for (const name of files) cpSync(join(PACKAGE_ROOT, name), join(this.clone, name), { recursive: true });
    symlinkSync(join(PACKAGE_ROOT, 'node_modules'), join(this.clone, 'node_modules'));
    writeFileSync(join(this.folder, 'npmrc'), '');
    const pack = ['pack', '--json', '--pack-destination', this.folder];
    let told: string;
    if (built === 'built') {
      await this.run(process.execPath, ['config/pack.mjs', 'before'], this.clone);
      told = await this.run('npm', [...pack, '--ignore-scripts'], this.clone);
    } else told = await this.run('npm', pack, this.clone);
    const [packed] = JSON.parse(told.slice(told.indexOf('[\n'))) as [Packed];
    this.packed = packed;
    this.tarball = join(this.folder, packed.filename);
    await this.#stock();
  }

  /** `npm install -g` of the package: its program is on the `PATH` of this machine from then on. */
  async installGlobally(): Promise<void> {
    await this.run('npm', ['install', '-g', this.tarball], this.empty());
  }

  /** A new folder with nothing in it. */
  empty(): string {
    return mkdtempSync(join(this.folder, 'empty-'));
  }

  /** The environment of whoever sits at this machine. */
  get env(): Record<string, string> {
    const home = join(this.folder, 'home');
    mkdirSync(home, { recursive: true });
    return {
      PATH: [join(this.prefix, 'bin'), process.env['PATH'] ?? ''].join(delimiter),
      HOME: home,
      npm_config_prefix: this.prefix,
      npm_config_cache: join(this.folder, 'cache'),
      npm_config_userconfig: join(this.folder, 'npmrc'),
      npm_config_registry: this.#registry?.url ?? '',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    };
  }

  /** What a command says on standard output; it fails with all that the command said. */
  async run(command: string, args: readonly string[], cwd: string, env: Record<string, string> = {}) {
    const { stdout } = await run(command, args, { cwd, env: { ...this.env, ...env }, maxBuffer: 2 ** 26 });
    return stdout;
  }

  remove(): void {
    this.#registry?.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Gives the registry the package and all that it depends on. */
  async #stock(): Promise<void> {
    const unpacked = this.empty();
    await this.run('tar', ['-xzf', this.tarball, '-C', unpacked], unpacked);
    const manifest = readManifest(join(unpacked, 'package'));
    this.#registry?.add(manifest, this.tarball);
    const needed = installedWith(
      join(PACKAGE_ROOT, 'node_modules'),
      Object.keys(manifest.dependencies ?? {}),
    );
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', this.folder];
    const told = JSON.parse(await this.run('npm', [...pack, ...needed], unpacked)) as { filename: string }[];
    for (const [at, { filename }] of told.entries())
      this.#registry?.add(readManifest(needed[at] ?? ''), join(this.folder, filename));
  }
}
