import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readOverrides } from '#config/overrides.ts';
import { allOf, copiedFromContext, environmentOf, readDockerfile } from './dockerfile.ts';

// Docker is not asked here: these rules hold what the file says against what the package has.
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const dockerfile = readDockerfile(read('config/Dockerfile'));
const manifest = JSON.parse(read('package.json'));
const environment = environmentOf(dockerfile);

describe('the Dockerfile', () => {
  it('copies paths that exist and are not ignored', () => {
    const ignored = read('.dockerignore').trim().split('\n');
    const copied = copiedFromContext(dockerfile);
    expect(copied).toContain('src');
    for (const path of copied) {
      expect(existsSync(join(ROOT, path)), path).toBe(true);
      expect(ignored, path).not.toContain(path);
    }
  });

  it('copies everything the build compiles for the product', () => {
    const product = ['src', 'bridges', 'mappings', 'config'];
    expect(copiedFromContext(dockerfile)).toEqual(expect.arrayContaining([...product, 'package-lock.json']));
  });

  it('runs scripts that package.json has', () => {
    const scripts = allOf(dockerfile, 'RUN').flatMap((rest) => /^npm run (\S+)/.exec(rest)?.[1] ?? []);
    expect(scripts).toEqual(['build']);
    for (const script of scripts) expect(manifest.scripts).toHaveProperty(script);
  });

  it('starts the binary of the package with serve, as npm start does', () => {
    const [entry = '[]'] = allOf(dockerfile, 'ENTRYPOINT');
    const [command = '[]'] = allOf(dockerfile, 'CMD');
    expect([...JSON.parse(entry), ...JSON.parse(command)].join(' ')).toBe(manifest.scripts.start);
    expect(JSON.parse(entry)).toContain(manifest.bin['harn-gateway']);
  });

  it('builds and runs on a Node that the package supports', () => {
    const bases = allOf(dockerfile, 'FROM').map((rest) => rest.split(' ')[0]);
    expect(manifest.engines.node).toBe('>=20.19');
    expect(bases).toEqual(['node:20-slim', 'node:20-slim']);
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

  it('does not run as root', () => {
    expect(allOf(dockerfile, 'USER')).toEqual(['node']);
  });

  it('checks health with a file that the image holds', () => {
    const [check = ''] = allOf(dockerfile, 'HEALTHCHECK');
    const [, file = ''] = JSON.parse(check.slice(check.indexOf('[')));
    expect(existsSync(join(ROOT, file)), file).toBe(true);
    expect(allOf(dockerfile, 'COPY')).toContain('--from=build /app/config config');
  });
});
