import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readOverrides } from '#config/overrides.ts';
import { unknownFlags } from './command-flags.ts';
import { allOf, copiedFromContext, environmentOf, readDockerfile } from './dockerfile.ts';

// Docker is not asked here: these rules hold what the file says against what the package has.
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const dockerfile = readDockerfile(read('config/deploy/Dockerfile'));
const manifest = JSON.parse(read('package.json'));
const environment = environmentOf(dockerfile);
const runs = allOf(dockerfile, 'RUN').join(' ');

describe('the Dockerfile', () => {
  it('copies all that is not ignored, and nothing else', () => {
    // Docker reads it where it reads the Dockerfile: named after it, beside it.
    const lines = read('config/deploy/Dockerfile.dockerignore').trim().split('\n');
    const [everything, ...letIn] = lines.filter((line) => !line.startsWith('#'));
    expect(everything).toBe('*');
    const copied = copiedFromContext(dockerfile);
    expect(letIn.map((line) => line.replace(/^!/, '')).sort()).toEqual([...copied].sort());
    // All but the package, which is where no sources are.
    for (const path of copied.filter((name) => name !== 'harn-gateway-*.tgz'))
      expect(existsSync(join(ROOT, path)), path).toBe(true);
  });

  it('copies everything the build compiles for the product', () => {
    const product = ['src', 'bridges', 'mappings', 'config'];
    expect(copiedFromContext(dockerfile)).toEqual(
      expect.arrayContaining([...product, 'package-lock.json', 'tsconfig.json', 'LICENSE']),
    );
  });

  it('packs, and installs what it packed where the program is found', () => {
    const [, packed = ''] = /npm pack --pack-destination (\S+)/.exec(runs) ?? [];
    const [, prefix = '', tarball = ''] = /npm install --global --prefix (\S+) (\S+)/.exec(runs) ?? [];
    expect(tarball).toBe(`${packed}/${manifest.name}-*.tgz`);
    expect(allOf(dockerfile, 'COPY')).toContain(`--from=build ${prefix} ${prefix}`);
    expect(environment.get('PATH')?.split(':')[0]).toBe(`${prefix}/bin`);
  });

  it('starts the program of the package with serve, and flags that it has', () => {
    const [entry = '[]'] = allOf(dockerfile, 'ENTRYPOINT');
    const [program, ...none] = JSON.parse(entry) as string[];
    expect(manifest.bin).toHaveProperty(program ?? '');
    expect(none).toEqual([]);
    expect(unknownFlags(JSON.parse(allOf(dockerfile, 'CMD')[0] ?? '[]'))).toEqual([]);
  });

  it('builds and runs on Node 24, or on another one that the package supports', () => {
    expect(manifest.engines.node).toBe('>=20.19');
    const [version, ...others] = allOf(dockerfile, 'ARG');
    expect([version, others]).toEqual(['NODE_VERSION=24', ['PACKAGE=clone']]);
    const bases = allOf(dockerfile, 'FROM').map((rest) => rest.split(' AS '));
    const node = `node:$\{NODE_VERSION}-bookworm-slim`;
    expect(bases).toEqual([[node, 'clone'], [node, 'tarball'], [`$\{PACKAGE}`, 'build'], [node]]);
  });

  it('sets variables that the gateway reads, to values it accepts', () => {
    const { overrides, faults } = readOverrides({}, Object.fromEntries(environment));
    expect(faults).toEqual([]);
    expect(overrides).toEqual({
      config: '/etc/harn-gateway/gateway.yaml',
      host: '0.0.0.0',
      port: 8080,
      data: '/data',
    });
  });

  it('exposes the port and keeps the data that it sets', () => {
    expect(allOf(dockerfile, 'EXPOSE')).toEqual([environment.get('HARN_GATEWAY_PORT')]);
    expect(allOf(dockerfile, 'VOLUME')).toEqual([environment.get('HARN_GATEWAY_DATA')]);
  });

  it('does not run as root, by a number that a cluster can see, and may write its data', () => {
    expect(allOf(dockerfile, 'USER')).toEqual(['1000:1000']);
    expect(runs).toContain(`install -d -m 700 -o 1000 -g 1000 ${environment.get('HARN_GATEWAY_DATA')}`);
    expect(allOf(dockerfile, 'COPY')).toContain('--from=build --chown=1000:1000 /data /data');
  });

  it('checks health with a file that the package has', () => {
    const [check = ''] = allOf(dockerfile, 'HEALTHCHECK');
    const [, file = ''] = JSON.parse(check.slice(check.indexOf('[')));
    const installed = '/opt/harn-gateway/lib/node_modules/harn-gateway/';
    expect(file.startsWith(installed), file).toBe(true);
    const path = file.slice(installed.length);
    expect(existsSync(join(ROOT, path)), path).toBe(true);
    expect(manifest.files.some((name: string) => path.startsWith(`${name}/`))).toBe(true);
  });
});
