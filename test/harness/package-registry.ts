import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** What npm reads of a package before it fetches it. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A package registry on loopback that has one version of each package that it was given. */
export class PackageRegistry {
  readonly #server: Server;
  /** Answers by path: documents of packages, and their tarballs. */
  readonly #served = new Map<string, () => string | Buffer>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', ({ url = '' }, response) => {
      const found = this.#served.get(decodeURIComponent(url));
      response.writeHead(found === undefined ? 404 : 200).end(found?.() ?? '{}');
    });
  }

  static async start(): Promise<PackageRegistry> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PackageRegistry(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  add(manifest: Manifest, tarball: string): void {
    const { name, version } = manifest;
    const path = `/tarballs/${name}-${version}.tgz`;
    const bytes = readFileSync(tarball);
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const dist = { tarball: new URL(path, this.url).href, integrity };
    const document = {
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...manifest, dist } },
    };
    this.#served.set(`/${name}`, () => JSON.stringify(document));
    this.#served.set(path, () => bytes);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Folders below `node_modules` of the named packages and of all that they depend on. */
export function installedWith(nodeModules: string, names: readonly string[]): string[] {
  const found = new Set(names);
  for (const name of found)
    for (const needed of Object.keys(readManifest(join(nodeModules, name)).dependencies ?? {}))
      found.add(needed);
  return [...found].map((name) => join(nodeModules, name));
}
