import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { TestClient } from '../../harness/client.ts';
import type { NatsServers } from '../../harness/nats-servers.ts';
import { freePorts, RoundRobin } from '../../harness/round-robin.ts';
import { GatewayPlace, type GatewayProcess, KEY } from '../gateway-process.ts';

const NODES = 3;

/** Gateway processes on one log behind a proxy that gives each connection to the next of them that lives. */
export class GatewayNodes {
  readonly proxy: RoundRobin;
  readonly #places: readonly GatewayPlace[];
  readonly #processes: GatewayProcess[] = [];

  private constructor(proxy: RoundRobin, places: readonly GatewayPlace[]) {
    this.proxy = proxy;
    this.#places = places;
  }

  static async start(servers: NatsServers, name: string, upstreams: object): Promise<GatewayNodes> {
    const ports = await freePorts(NODES);
    const proxy = await RoundRobin.start(ports);
    const places = ports.map((port) => {
      const advertise = `http://127.0.0.1:${port}`;
      return new GatewayPlace({
        server: { port, public_url: proxy.url },
        store: { kind: 'jetstream', servers: [...servers.urls], name, replicas: 3, advertise },
        upstreams,
      });
    });
    const nodes = new GatewayNodes(proxy, places);
    const [first] = places;
    for (const place of places) {
      if (place !== first && first !== undefined)
        cpSync(join(first.data, 'keys'), join(place.data, 'keys'), { recursive: true });
      nodes.#processes.push(await place.start());
    }
    return nodes;
  }

  /** Asks whichever node the proxy gives it. */
  get client(): TestClient {
    return new TestClient(this.proxy.url, KEY);
  }

  /** Ends the one that decides as a crash would, and starts it again, once another one decides. */
  async killOwner(): Promise<void> {
    const at = await Promise.race(
      this.#processes.map(async (process, number) =>
        (await process.decides) ? number : await new Promise<never>(() => undefined),
      ),
    );
    await this.#processes[at]?.kill();
    await Promise.race(this.#processes.filter((_, number) => number !== at).map(({ decides }) => decides));
    const place = this.#places[at];
    if (place !== undefined) this.#processes[at] = await place.start();
  }

  async close(): Promise<void> {
    await this.proxy.close();
    for (const process of this.#processes) await process.kill();
    for (const place of this.#places) place.remove();
  }
}
