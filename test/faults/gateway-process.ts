import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { apiKeyHash } from '#auth/api-keys.ts';
import { createLogging, startGateway } from '#compose/compose.ts';
import { loadConfig } from '#config/load.ts';
import { TestClient } from '../harness/client.ts';
import { Child, type Output, PACKAGE_ROOT, PROGRAM, runProgram } from './child-processes.ts';

/** The key of every gateway process of these tests. */
export const KEY = `harn_test_faults_${'k3y'.repeat(12)}`;
/** Far more than a start takes on a busy machine, of which a long run is to have only what others leave. */
const START_MS = 120_000;

/** A directory with a configuration and a data directory, which outlives the gateways started on it. */
export class GatewayPlace {
  readonly folder = mkdtempSync(join(tmpdir(), 'harn-faults-'));
  readonly data: string;
  readonly config = join(this.folder, 'gateway.yaml');
  /** Where its gateways leave their addresses, as `XDG_STATE_HOME` names it. */
  readonly state = join(this.folder, 'state');
  /** The environment of its gateways. */
  readonly env: Record<string, string> = { XDG_STATE_HOME: this.state };

  /** Sections are merged over the defaults of these tests, one level deep, or lists of their own; `data` is made by the gateway. */
  constructor(sections: Record<string, object> = {}, data?: string) {
    this.data = data ?? join(this.folder, 'data');
    const all: Record<string, object> = {
      server: { port: 0 },
      store: { data: this.data },
      auth: { api_keys: [{ id: 'faults', hash: apiKeyHash(KEY), actor: 'actor_faults' }] },
      upstreams: { a2a: [] },
      telemetry: { log_level: 'info' },
    };
    for (const [name, section] of Object.entries(sections))
      all[name] = Array.isArray(section) ? section : { ...all[name], ...section };
    writeFileSync(this.config, stringify(all));
  }

  /** The start of a gateway; await `ready` or kill it before. */
  launch(...flags: string[]): GatewayProcess {
    return new GatewayProcess([PROGRAM, 'serve', '--config', this.config, ...flags], this.env);
  }

  async start(): Promise<GatewayProcess> {
    const gateway = this.launch();
    await gateway.ready;
    return gateway;
  }

  /** A gateway on the data in this process, where a process of its own would show no more. */
  async open(): Promise<{ client: TestClient; close(): Promise<void> }> {
    const { env } = this;
    const flags = { config: this.config };
    const { logger, redactor } = createLogging('silent', { write: () => undefined });
    const gateway = await startGateway({
      config: loadConfig({ flags, env, cwd: this.folder, packageRoot: PACKAGE_ROOT }),
      packageRoot: PACKAGE_ROOT,
      version: '0.0.0-test',
      logger,
      redactor,
      env,
    });
    return { client: new TestClient(gateway.url, KEY), close: () => gateway.close() };
  }

  /** `log check` on the stopped data. */
  check(): Promise<Output> {
    return runProgram('log', 'check', '--config', this.config);
  }

  acceptTruncation(): Promise<Output> {
    return runProgram('log', 'accept-truncation', '--config', this.config);
  }

  remove(): void {
    // What a killed process has started ends a moment later, and writes until then.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A real `serve` process. */
export class GatewayProcess {
  readonly child: Child;
  /** Resolves when it serves, or hands on to the one that decides; rejects with its standard error when it ended before. */
  readonly ready: Promise<void>;
  #client: TestClient | undefined;

  constructor(args: readonly string[], env: Record<string, string> = {}) {
    this.child = new Child(args, env);
    this.ready = this.#becomeReady();
    // A gateway that is killed on its way up has nobody waiting for it.
    this.ready.catch(() => undefined);
  }

  /** Calls with the key of the place. Throws before `ready`. */
  get client(): TestClient {
    if (this.#client === undefined) throw new Error('The gateway is not ready.');
    return this.#client;
  }

  /** Resolves when it decides. False when it ended before. */
  get decides(): Promise<boolean> {
    return this.child.said('"event":"ready"');
  }

  kill(): Promise<Output> {
    return this.child.end('SIGKILL');
  }

  /** Asks it to drain and waits for the end. */
  stop(): Promise<Output> {
    return this.child.end('SIGTERM');
  }

  async #becomeReady(): Promise<void> {
    const late = setTimeout(() => this.child.process.kill('SIGKILL'), START_MS);
    const line = await this.child.firstLine();
    clearTimeout(late);
    if (line === undefined) {
      const { code, signal, stderr } = await this.child.ended;
      throw new Error(`The gateway ended with ${code ?? signal}: ${stderr.slice(-2_000)}`);
    }
    this.#client = new TestClient((JSON.parse(line) as { url: string }).url, KEY);
  }
}

/** The sample agent in a process of its own, which outlives every gateway. */
export async function startAgentProcess(): Promise<{ cardUrl: string; end(): Promise<unknown> }> {
  const child = new Child([`${PACKAGE_ROOT}dist/bundle/sample-agent.js`, '--port', '0']);
  const line = await child.firstLine();
  if (line === undefined) throw new Error(`The sample agent did not start: ${child.stderr}`);
  const { url } = JSON.parse(line) as { url: string };
  return { cardUrl: `${url}/.well-known/agent-card.json`, end: () => child.end('SIGKILL') };
}
