import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { EXIT } from '#cli/exit-codes.ts';
import { loadConfig } from '#config/load.ts';
import { OPERATIONS } from '#resources/operations.ts';
import { unknownFlags } from './command-flags.ts';
import { allOf, environmentOf, readDockerfile } from './dockerfile.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEPLOY = join(ROOT, 'config', 'deploy');
const read = (path: string) => readFileSync(join(DEPLOY, path), 'utf8');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const dockerfile = readDockerfile(read('Dockerfile'));
const image = environmentOf(dockerfile);
const imagePort = Number(allOf(dockerfile, 'EXPOSE')[0]);

const folder = mkdtempSync(join(tmpdir(), 'harn-deploy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Where vault files are in a container, and the test has a folder with one. */
const SECRETS = '/run/secrets/harn-gateway';

/** What a gateway makes of one of our files, in the image; the rows that are comments are taken too where `withAgents`. */
function configured(path: string, withAgents = false) {
  const text = withAgents ? read(path).replaceAll(/^# (?=upstreams:| {2})/gm, '') : read(path);
  const file = join(folder, 'gateway.yaml');
  const secrets = join(folder, 'secrets');
  mkdirSync(secrets, { recursive: true });
  writeFileSync(join(secrets, 'shop-token'), 'shown to the shop alone');
  writeFileSync(file, text.replaceAll(SECRETS, secrets));
  const env = { ...Object.fromEntries(image), HARN_GATEWAY_CONFIG: file };
  return loadConfig({ flags: {}, env, cwd: folder, packageRoot: ROOT, programs: true });
}

/** Milliseconds to stop: what a drain may take, and as much again for agents and the store. */
const stopMs = (config: ReturnType<typeof configured>) => 2 * config.limits.drain_timeout_ms;
const isPublic = (path: string) =>
  Object.values(OPERATIONS).some((row) => 'path' in row && row.path === path && row.kind === 'document');

describe.each(['gateway.yaml', 'kubernetes/gateway.yaml'])('the configuration %s', (path) => {
  it('is accepted by a gateway that listens for others', () => {
    const { server, upstreams, usesSampleAgent } = configured(path);
    expect(server).toMatchObject({ host: '0.0.0.0', port: imagePort, insecure: false });
    expect(upstreams.a2a).toEqual([]);
    expect(usesSampleAgent).toBe(true);
  });

  it('is accepted with the agent that it shows as a comment', () => {
    const { upstreams, defaultRoute } = configured(path, true);
    expect(upstreams.a2a.map(({ id }) => id)).toEqual(['shop']);
    expect(defaultRoute.route).toBe('a2a:shop');
  });

  it('has a key that nobody has, so that it has to be replaced', () => {
    expect(configured(path).auth.api_keys.map(({ hash }) => hash)).toEqual([`sha256:${'0'.repeat(64)}`]);
  });
});

describe('compose.yaml', () => {
  const { services, volumes } = parse(read('compose.yaml'));
  const { gateway } = services;

  it('builds the image of this version from files that exist', () => {
    expect(existsSync(join(DEPLOY, gateway.build.context, gateway.build.dockerfile))).toBe(true);
    expect(gateway.image).toBe(`harn-gateway:${manifest.version}`);
  });

  it('gives it a volume, its configuration and its secrets, at the places where the image looks', () => {
    const mounts = new Map(gateway.volumes.map((text: string) => text.split(':').slice(0, 2).reverse()));
    expect(Object.fromEntries(mounts)).toEqual({
      [image.get('HARN_GATEWAY_DATA') ?? '']: 'data',
      [image.get('HARN_GATEWAY_CONFIG') ?? '']: './gateway.yaml',
      [SECRETS]: './secrets',
    });
    expect(volumes).toHaveProperty('data');
    expect(gateway.volumes.filter((text: string) => text.startsWith('./') && !text.endsWith(':ro'))).toEqual(
      [],
    );
    expect(existsSync(join(DEPLOY, 'gateway.yaml'))).toBe(true);
  });

  it('is reached by this machine alone, on the port of the image', () => {
    expect(gateway.ports).toEqual([`127.0.0.1:${imagePort}:${imagePort}`]);
  });

  it('leaves it no rights, and nothing to write but data and /tmp', () => {
    expect(gateway).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: [expect.stringMatching(/^\/tmp(:|$)/)],
    });
    expect(gateway).not.toHaveProperty('cap_add');
    expect(gateway).not.toHaveProperty('privileged');
  });

  it('waits for the drain, starts it again, and cleans up behind its children', () => {
    expect(Number.parseInt(gateway.stop_grace_period, 10) * 1000).toBeGreaterThanOrEqual(
      stopMs(configured('gateway.yaml')),
    );
    expect(gateway).toMatchObject({ init: true, restart: 'unless-stopped' });
  });
});

describe('harn-gateway.service', () => {
  const lines = read('harn-gateway.service')
    .split('\n')
    .flatMap((line) => (/^[A-Z]\w*=/.test(line) ? [line] : []));
  const option = (name: string) =>
    lines.findLast((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);

  it('starts the program with a command and flags that it has', () => {
    const [program = '', ...args] = option('ExecStart')?.split(' ') ?? [];
    expect(manifest.bin).toHaveProperty(program.slice(program.lastIndexOf('/') + 1));
    expect(unknownFlags(args)).toEqual([]);
    expect(args).toContain(`/var/lib/${option('StateDirectory')}`);
    expect(option('WorkingDirectory')).toBe(`/var/lib/${option('StateDirectory')}`);
  });

  it('is started again, but not where another start would end the same way', () => {
    expect(option('Restart')).toBe('on-failure');
    const lasting = [EXIT.usage, EXIT.cannotOpenData, EXIT.dataInUse, EXIT.newerData];
    expect(option('RestartPreventExitStatus')).toBe(lasting.join(' '));
  });

  it('gives the drain its time before the kill', () => {
    expect(option('KillSignal')).toBe('SIGTERM');
    // Agents are ended by the gateway; only what is left is killed.
    expect(option('KillMode')).toBe('mixed');
    expect(Number(option('TimeoutStopSec')) * 1000).toBeGreaterThanOrEqual(
      stopMs(configured('gateway.yaml')),
    );
  });

  it('reloads by the signal that the program takes', () => {
    expect(option('ExecReload')).toBe('/bin/kill -HUP $MAINPID');
  });

  it('lets V8 compile', () => {
    expect(option('MemoryDenyWriteExecute')).toBeUndefined();
  });

  it('has a configuration to begin with, on loopback for the proxy of the machine', () => {
    configured('gateway.yaml');
    const flags = { config: join(folder, 'gateway.yaml'), data: join(folder, 'data') };
    const { server } = loadConfig({ flags, env: {}, cwd: folder, packageRoot: ROOT });
    expect(server.host).toBe('127.0.0.1');
  });
});

describe('the manifests for Kubernetes', () => {
  const kustomization = parse(read('kubernetes/kustomization.yaml'));
  const one = (name: string) => parse(read(`kubernetes/${name}.yaml`));
  const { spec: set } = one('stateful-set');
  const { spec: pod } = set.template;
  const [container] = pod.containers;
  const mounts = Object.fromEntries(
    container.volumeMounts.map(({ name, mountPath }: Record<string, string>) => [name, mountPath]),
  );

  it('are all in the kustomization', () => {
    const listed = [...kustomization.resources, ...kustomization.configMapGenerator[0].files];
    const there = readdirSync(join(DEPLOY, 'kubernetes')).filter((name) => name !== 'kustomization.yaml');
    expect(listed.sort()).toEqual(there.sort());
    expect(kustomization.images).toEqual([{ name: container.image, newTag: manifest.version }]);
  });

  it('run one gateway on a volume of its own, at the place where the image keeps data', () => {
    expect(set.replicas).toBe(1);
    expect(set.serviceName).toBe(one('service').metadata.name);
    const [claim] = set.volumeClaimTemplates;
    expect(mounts[claim.metadata.name]).toBe(image.get('HARN_GATEWAY_DATA'));
    expect(claim.spec.accessModes).toEqual(['ReadWriteOncePod']);
  });

  it('start it with a command and flags that it has', () => {
    expect(unknownFlags(container.args)).toEqual([]);
    expect(container).not.toHaveProperty('command');
  });

  it('hand it the configuration as a ConfigMap, and secrets by reference', () => {
    const volume = (name: string) => pod.volumes.find((each: { name: string }) => each.name === name);
    const [map] = kustomization.configMapGenerator;
    expect(volume('configuration').configMap.name).toBe(map.name);
    expect(`${mounts['configuration']}/${map.files[0]}`).toBe(image.get('HARN_GATEWAY_CONFIG'));
    const [vault] = parse(read('kubernetes/gateway.yaml')).vaults;
    expect(mounts['agents']).toBe(vault.dir);
    expect(volume('agents').secret).toMatchObject({ secretName: 'harn-gateway-agents', optional: true });
    for (const name of kustomization.resources)
      expect(read(`kubernetes/${name}`)).not.toMatch(/^kind: Secret$/m);
  });

  it('ask it on its port, by paths that need no key and the name that it has', () => {
    const [port] = container.ports;
    expect(port.containerPort).toBe(imagePort);
    for (const [probe, path] of [
      ['startupProbe', '/health'],
      ['livenessProbe', '/health'],
      ['readinessProbe', '/ready'],
    ] as const) {
      const { httpGet } = container[probe];
      expect(httpGet).toMatchObject({ path, port: port.name });
      expect(isPublic(path), path).toBe(true);
      // The address and the port that the kubelet asks are a name of the gateway: test/ci/package.test.ts.
      expect(httpGet).not.toHaveProperty('httpHeaders');
    }
    expect(one('service').spec.ports[0].targetPort).toBe(port.name);
    const { startupProbe } = container;
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(300);
  });

  it('leave it no rights, and nothing to write but data and /tmp', () => {
    const [user] = allOf(dockerfile, 'USER');
    const { runAsUser, runAsGroup, fsGroup, ...rest } = pod.securityContext;
    expect(`${runAsUser}:${runAsGroup}`).toBe(user);
    expect(fsGroup).toBe(runAsGroup);
    expect(rest).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    const writable = container.volumeMounts.filter(({ readOnly }: { readOnly?: boolean }) => !readOnly);
    expect(writable.map(({ mountPath }: { mountPath: string }) => mountPath).sort()).toEqual([
      '/data',
      '/tmp',
    ]);
  });

  it('wait for the drain, and let nobody evict the only gateway while it is ready', () => {
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(
      stopMs(configured('kubernetes/gateway.yaml')),
    );
    expect(one('pod-disruption-budget').spec).toMatchObject({
      maxUnavailable: 0,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    });
  });
});

describe('the page of these files', () => {
  const page = read('README.md');

  it('has commands and flags that the program has', () => {
    const commands = [
      ...page.matchAll(
        /(?:^ {4}(?:[A-Z_]+=\S+ )?|`|\/data )harn-gateway ((?:[a-z-]+ ?)+(?: ?--?[\w-]+(?: [\w/.-]+)?)*)/gm,
      ),
    ];
    const words = commands.map(([, text = '']) => text.trim().split(' '));
    expect(words.map(([name]) => name)).toEqual([
      ...['api-keys', 'check', 'serve', 'log', 'backup', 'log', 'log', 'log', 'log'],
    ]);
    expect(words.flatMap(unknownFlags)).toEqual([]);
  });

  it('names files that are there, and places where the image and the unit keep things', () => {
    const named = [...page.matchAll(/config\/deploy\/[\w./-]*[\w]/g)].map(([path]) => path);
    const missing = new Set(named.filter((path) => !existsSync(join(ROOT, path))));
    // Made by the line that names it, for what is not for us to know.
    expect([...missing]).toEqual(['config/deploy/secrets']);
    expect(page).toContain(`harn-gateway-data:${image.get('HARN_GATEWAY_DATA')}`);
    expect(page).toContain(`gateway.yaml:${image.get('HARN_GATEWAY_CONFIG')}:ro`);
    expect(parse(read('compose.yaml')).volumes.data.name).toBe('harn-gateway-data');
  });
});

/** How a linter is asked whether it is here; `.ci/deploy` brings those that can be installed. */
const LINTERS: Readonly<Record<string, readonly string[]>> = {
  hadolint: ['--version'],
  'docker-compose': ['version'],
  'systemd-analyze': ['--version'],
  kubectl: ['version', '--client'],
  'kubernetes-validate': ['--version'],
};

/** A test by the linter itself; where it is not installed the name says so, and the test is skipped. */
function lintedBy(linter: string, what: string, test: () => void): void {
  const here = spawnSync(linter, [...(LINTERS[linter] ?? [])], { encoding: 'utf8' }).status === 0;
  it.skipIf(!here)(here ? `${what} (${linter})` : `${what} (skipped: ${linter} is not installed)`, test);
}

/** What a linter said and how it ended. */
function lint(linter: string, ...args: string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(linter, args, { encoding: 'utf8', cwd: DEPLOY });
  return { status, said: stdout + stderr };
}

describe('the linters', () => {
  const rendered = () =>
    execFileSync('kubectl', ['kustomize', 'kubernetes'], { cwd: DEPLOY, encoding: 'utf8' });

  lintedBy('hadolint', 'find no fault in the Dockerfile', () => {
    expect(lint('hadolint', 'Dockerfile')).toEqual({ status: 0, said: '' });
  });

  lintedBy('docker-compose', 'take compose.yaml', () => {
    expect(lint('docker-compose', '-f', 'compose.yaml', 'config', '--quiet')).toEqual({
      status: 0,
      said: '',
    });
  });

  /** The unit with a program that is there: what it names is the one of an installation. */
  function unitFile(): string {
    const file = join(folder, 'harn-gateway.service');
    writeFileSync(file, read('harn-gateway.service').replaceAll('/usr/local/bin/harn-gateway', '/bin/true'));
    return file;
  }

  lintedBy('systemd-analyze', 'take the unit', () => {
    expect(lint('systemd-analyze', 'verify', '--man=no', unitFile())).toEqual({ status: 0, said: '' });
  });

  lintedBy('systemd-analyze', 'find the unit exposed to little', () => {
    const { status, said } = lint(
      'systemd-analyze',
      'security',
      '--offline=yes',
      '--threshold=20',
      unitFile(),
    );
    expect(status, said).toBe(0);
  });

  lintedBy(
    'kubectl',
    'put the manifests together, the pod with the ConfigMap that was made of its file',
    () => {
      const documents = parseAllDocuments(rendered()).map((document) => document.toJS());
      expect(documents.map(({ kind }) => kind).sort()).toEqual([
        'ConfigMap',
        'Namespace',
        'PodDisruptionBudget',
        'Service',
        'StatefulSet',
      ]);
      const of = (kind: string) => documents.find((each) => each.kind === kind);
      const name = of('ConfigMap').metadata.name;
      expect(name).toMatch(/^harn-gateway-\w+$/);
      const { template, selector } = of('StatefulSet').spec;
      expect(template.spec.volumes).toContainEqual({ name: 'configuration', configMap: { name } });
      expect(template.metadata.labels).toEqual(selector.matchLabels);
      expect(of('Service').spec.selector).toEqual(selector.matchLabels);
      expect(of('PodDisruptionBudget').spec.selector.matchLabels).toEqual(selector.matchLabels);
      expect(Object.keys(selector.matchLabels).length).toBeGreaterThan(0);
    },
  );

  lintedBy('kubernetes-validate', 'find no field in the manifests that Kubernetes does not have', () => {
    const files = ['namespace', 'service', 'stateful-set', 'pod-disruption-budget'];
    const paths = files.map((name) => join('kubernetes', `${name}.yaml`));
    const { status, said } = lint('kubernetes-validate', '--strict', ...paths);
    expect(status, said).toBe(0);
    expect(said.match(/ passed /g)).toHaveLength(files.length);
  });
});
