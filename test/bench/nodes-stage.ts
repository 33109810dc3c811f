import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { NatsServers } from '../harness/nats-servers.ts';
import { freePorts, RoundRobin } from '../harness/round-robin.ts';
import { Child } from './child.ts';
import { writeConfig } from './data-directory.ts';
import type { GatewayAddress } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';

const HOST = '127.0.0.1';
const US_PER_TICK = 10_000;
/** Behind the name of the program, which may have blanks: user and system time. */
const USER_TICKS = 11;

/** Only where there are cores to give: the one that decides has the first, what is in `others` share the rest in turn. */
export const CORES = availableParallelism();

/** What to say in a row. */
export const pinning = (): string =>
  CORES < 2
    ? 'one core for all'
    : `${CORES} cores: the gateway that decides has one, nodes, proxy, servers and load share ${CORES - 1}`;

/** Lets a process, with its threads, run on one core. Linux alone; elsewhere the system chooses. */
export function pin(pid: number, role: number): void {
  if (CORES < 2 || process.platform !== 'linux') return;
  const core = role === 0 ? 0 : 1 + ((role - 1) % (CORES - 1));
  spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
}

/** CPU time that a process has used, microseconds, in steps of 10 ms. Linux alone. */
function cpuUsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[USER_TICKS]) + Number(fields[USER_TICKS + 1])) * US_PER_TICK;
}

export interface NodeOptions {
  /** Of the log. */
  name: string;
  replicas: 1 | 3;
  /** Where it listens. Default: a free port. */
  port?: number;
  /** The address of a proxy in front of it. */
  publicUrl?: string;
}

/** One gateway process on a log in JetStream. */
export interface BenchNode {
  data: string;
  port: number;
  child: Child<GatewayAddress>;
}

/** Servers, nodes of one log, and the proxy in front of them, each on the core it is given. */
export class NodesStage {
  readonly servers: NatsServers;
  readonly #proxies: RoundRobin[] = [];
  readonly #children: Child<GatewayAddress>[] = [];

  private constructor(servers: NatsServers) {
    this.servers = servers;
  }

  static async start(syncsAlways = false): Promise<NodesStage> {
    const servers = await NatsServers.start({ servers: 3, syncsAlways });
    for (const [at, pid] of servers.pids.entries()) pin(pid, 3 + at);
    return new NodesStage(servers);
  }

  /** The first one of a log decides. `first`: the directory of that one, whose keys another one has. */
  async node(of: NodeOptions, role: number, first?: string): Promise<BenchNode> {
    const data = scratchDirectory();
    if (first !== undefined) cpSync(join(first, 'keys'), join(data, 'keys'), { recursive: true });
    const [port = 0] = of.port === undefined ? await freePorts(1) : [of.port];
    return this.start({ ...of, data, port, role });
  }

  /** On a directory and a port that may have been used before. */
  async start(of: NodeOptions & { data: string; port: number; role: number }): Promise<BenchNode> {
    const { data, port, name, replicas, role, publicUrl } = of;
    const store = {
      data,
      kind: 'jetstream',
      servers: [...this.servers.urls],
      name,
      replicas,
      advertise: `http://${HOST}:${port}`,
    };
    const config = writeConfig(data, [], [], [], {
      server: { port, ...(publicUrl === undefined ? {} : { public_url: publicUrl }) },
      store,
    });
    const child = new Child<GatewayAddress>('gateway-child', { args: { config, echo: true } });
    this.#children.push(child);
    pin(child.pid, role);
    await child.ready;
    return { data, port, child };
  }

  /** So many nodes of one log, the one that decides first, and the proxy before them. */
  async cluster(name: string, count: number): Promise<{ nodes: BenchNode[]; url: string }> {
    const ports = await freePorts(count);
    const proxy = await RoundRobin.start(ports);
    this.#proxies.push(proxy);
    const nodes: BenchNode[] = [];
    for (const [role, port] of ports.entries()) {
      const of = { name, replicas: 3, port, publicUrl: proxy.url } as const;
      nodes.push(await this.node(of, role, nodes[0]?.data));
    }
    return { nodes, url: proxy.url };
  }

  /** CPU time of all servers so far, microseconds. */
  get serversCpuUs(): number {
    return this.servers.pids.reduce((sum, pid) => sum + cpuUsOf(pid), 0);
  }

  async close(): Promise<void> {
    for (const proxy of this.#proxies) await proxy.close();
    for (const child of this.#children) await child.kill();
    await this.servers.close();
  }
}
