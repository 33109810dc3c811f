import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { apiKeyHash, newApiKey } from '#auth/api-keys.ts';
import {
  createLogging,
  type GatewayParts,
  type RunningGateway,
  startGateway,
  systemRandom,
} from '#compose/compose.ts';
import { loadConfig } from '#config/load.ts';
import { findPackageRoot } from '#config/package-root.ts';
import type { Clock, Random } from '#protocol/ports.ts';
import type { ProtocolClient } from '#protocol-client.ts';
import { TestClient } from './client.ts';
import { Cluster } from './cluster.ts';

/** In the data directory of a test gateway; a test that reloads writes it anew. */
export const CONFIG_FILE = 'gateway.test.yaml';

export interface TestGatewayOptions {
  /** Sections that take the place of `store` and `auth`, usually `upstreams`, `limits`, `routing`; `server` keeps its free port. */
  config?: Record<string, unknown>;
  /** Keys besides the all-powerful default one; `name` where two have the same actor. */
  keys?: readonly {
    actor: string;
    name?: string;
    scopes?: string[];
    workspaces?: string[];
    tenant?: string;
  }[];
  /** Rows of `auth.oauth`, beside the keys. */
  oauth?: readonly object[];
  /** Kept between two starts when given; else a fresh directory removed at close. */
  data?: string;
  /** Variables besides those of this process, for the configuration too. */
  env?: Readonly<Record<string, string>>;
  clock?: Clock;
  random?: Random;
  extraClients?: readonly ProtocolClient[];
  /** Default: LevelDB. */
  openStore?: GatewayParts['openStore'];
  /** Default: the resolver of the system. */
  resolveHost?: GatewayParts['resolveHost'];
  /** Why it is one gateway also in a run with several. Default: it is what the run has. */
  alone?: string;
  /** Whose build the bundled agent is taken from. Default: this package. */
  packageRoot?: string;
}

export interface TestGateway extends RunningGateway {
  data: string;
  /** Calls with the default key, which may do everything in `workspace_default`. */
  client: TestClient;
  /** Clients of `options.keys`, by name, else actor. */
  clients: Record<string, TestClient>;
  /** Every log line so far, as written. */
  logText(): string;
}

/** A whole gateway in this process, on a free port and a real LevelDB directory. Close it in the test. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const data = options.data ?? mkdtempSync(join(tmpdir(), 'harn-test-'));
  const people = [{ actor: 'actor_test' }, ...(options.keys ?? [])].map((row, at) => {
    const key = newApiKey('test', `k${at}`, systemRandom);
    return { name: row.actor, ...row, id: `k${at}`, key, hash: apiKeyHash(key) };
  });
  const lines: string[] = [];
  const { logger, redactor } = createLogging('debug', { write: (line: string) => void lines.push(line) });
  const own = await Cluster.open(options, data);
  const config = writeConfig(data, options, people, own?.configOf(0));
  const parts = {
    readConfig: () => readConfig(data, options),
    packageRoot: options.packageRoot ?? findPackageRoot(import.meta.url),
    version: '0.0.0-test',
    logger,
    redactor,
    env: { ...process.env, ...options.env },
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.random === undefined ? {} : { random: options.random }),
    ...(options.extraClients === undefined ? {} : { extraClients: options.extraClients }),
    ...(options.openStore === undefined ? {} : { openStore: options.openStore }),
    ...(options.resolveHost === undefined ? {} : { resolveHost: options.resolveHost }),
  };
  const alone = await startGateway({ ...parts, config });
  await own?.addOthers(parts, (at, other) => writeConfig(other, options, people, own.configOf(at)));
  const gateway = own === undefined ? alone : { ...alone, url: own.url };
  const clients = Object.fromEntries(people.map(({ name, key }) => [name, new TestClient(gateway.url, key)]));
  return {
    ...gateway,
    data,
    client: clients['actor_test'] as TestClient,
    clients,
    logText: () => lines.join(''),
    close: async () => {
      // At once: the others would take over, and what they hand on ends as the one that decides lets it end.
      await Promise.all([own?.closeOthers(), gateway.close()]);
      await own?.close();
      if (options.data === undefined) rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The log of each data directory in a stream of its own, where a run of the tests is to have it there. */
function logOnNats(data: string): object {
  const urls = process.env['HARN_LOG_ON_NATS']?.split(',');
  if (urls === undefined) return {};
  const name = createHash('sha256').update(data).digest('hex').slice(0, 16);
  return { kind: 'jetstream', servers: urls, name, replicas: urls.length };
}

function writeConfig(
  data: string,
  options: TestGatewayOptions,
  people: readonly Record<string, unknown>[],
  node?: ReturnType<Cluster['configOf']>,
) {
  const api_keys = people.map(({ id, hash, actor, scopes, workspaces, tenant }) => ({
    id,
    hash,
    actor,
    ...(scopes === undefined ? {} : { scopes }),
    ...(workspaces === undefined ? {} : { workspaces }),
    ...(tenant === undefined ? {} : { tenant }),
  }));
  const file = join(data, CONFIG_FILE);
  const sections = {
    store: { data, ...logOnNats(node?.log ?? data), ...(node && { advertise: node.advertise }) },
    auth: { api_keys, ...(options.oauth && { oauth: options.oauth }) },
    upstreams: { a2a: [] },
    ...options.config,
    // Also where a test sets something else of this section: two gateways may run on one machine.
    server: { port: 0, ...(options.config?.['server'] as object | undefined), ...node?.server },
  };
  writeFileSync(file, stringify(sections));
  return readConfig(data, options);
}

function readConfig(data: string, { env }: TestGatewayOptions) {
  const file = join(data, CONFIG_FILE);
  return loadConfig({ flags: { config: file }, env: { ...env }, cwd: data, packageRoot: data });
}
