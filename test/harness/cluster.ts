import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GatewayParts, startGateway } from '#compose/compose.ts';
import type { Config } from '#config/load.ts';
import { freePorts, RoundRobin } from './round-robin.ts';

const NODES = 3;

interface Server {
  tls?: unknown;
  port?: number;
  grpc?: { port?: number };
}

/** Whether a gateway of the tests is three of them on one log (HARN_NODES). */
export const HAS_NODES = process.env['HARN_NODES'] !== undefined;

/** The name of a test that only one gateway can pass, with the reason where it is skipped. */
export const unlessNodes = (name: string, why: string): string =>
  HAS_NODES ? `${name} (skipped with several gateways: ${why})` : name;

/** Other gateways on the log of a test gateway, and the proxy before all of them, where a run of the tests is to have them. */
export class Cluster {
  readonly #ports: readonly number[];
  readonly #proxy: RoundRobin;
  readonly #server: object;
  readonly #data: string;
  readonly #closers: (() => Promise<void>)[] = [];

  private constructor(ports: readonly number[], proxy: RoundRobin, server: object, data: string) {
    this.#ports = ports;
    this.#proxy = proxy;
    this.#server = server;
    this.#data = data;
  }

  /** Undefined where there is one gateway: its own port, TLS or store is what the test is about, or no run with several was asked for. */
  static async open(
    {
      config = {},
      openStore,
      alone,
    }: { config?: Record<string, unknown>; openStore?: unknown; alone?: string },
    data: string,
  ): Promise<Cluster | undefined> {
    const server: Server = config['server'] ?? {};
    const hasPort = server.port !== undefined || (server.grpc?.port ?? 0) !== 0;
    const isAlone = alone !== undefined || hasPort || server.tls !== undefined || openStore !== undefined;
    if (!HAS_NODES || isAlone || 'store' in config) return undefined;
    const ports = await freePorts(NODES);
    return new Cluster(ports, await RoundRobin.start(ports), server, data);
  }

  get url(): string {
    return this.#proxy.url;
  }

  configOf(at: number): { log: string; advertise: string; server: object } {
    const port = this.#ports[at];
    return {
      log: this.#data,
      advertise: `http://127.0.0.1:${port}`,
      server: { public_url: this.url, ...this.#server, port },
    };
  }

  /** Starts those that wait, each in a directory of its own with the keys of the first. */
  async addOthers(
    parts: Omit<GatewayParts, 'config'>,
    configure: (at: number, data: string) => Config,
  ): Promise<void> {
    for (let at = 1; at < NODES; at += 1) {
      const data = mkdtempSync(join(tmpdir(), 'harn-test-node-'));
      for (const name of ['keys', 'api-keys.json'])
        if (existsSync(join(this.#data, name)))
          cpSync(join(this.#data, name), join(data, name), { recursive: true });
      const config = configure(at, data);
      await new Promise<void>((resolve, reject) => {
        const stop = new AbortController();
        const ended = startGateway({
          ...parts,
          config,
          signal: stop.signal,
          onWaiting: () => {
            this.#closers.push(async () => {
              stop.abort();
              await ended;
              rmSync(data, { recursive: true, force: true });
            });
            resolve();
          },
        }).then(
          async (gateway) => {
            await gateway.close();
            throw new Error('Two gateways decide for one log.');
          },
          (error: unknown) => {
            if (error !== stop.signal.reason) throw error;
          },
        );
        ended.catch(reject);
      });
    }
  }

  /** None of them takes over from now on. */
  async closeOthers(): Promise<void> {
    await Promise.all(this.#closers.map((close) => close()));
  }

  async close(): Promise<void> {
    await this.#proxy.close();
  }
}
