import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy in front of several gateways: each connection goes to the next one that takes it. */
export class RoundRobin {
  readonly #server: Server;
  readonly #ports: readonly number[];
  readonly #open = new Set<Socket>();
  #next = 0;
  /** Connections that each of them took, in the order of the ports. */
  readonly taken: number[];

  private constructor(server: Server, ports: readonly number[]) {
    this.#server = server;
    this.#ports = ports;
    this.taken = ports.map(() => 0);
    server.on('connection', (client) => this.#join(client, ports.length));
  }

  static async start(ports: readonly number[], at = 0): Promise<RoundRobin> {
    const server = createServer({ pauseOnConnect: true, noDelay: true });
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    return new RoundRobin(server, ports);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #join(client: Socket, tries: number): void {
    // Its end follows.
    client.on('error', () => undefined);
    this.#try(client, tries);
  }

  #try(client: Socket, tries: number): void {
    if (tries === 0 || client.destroyed) return void client.destroy();
    const at = this.#next;
    this.#next = (this.#next + 1) % this.#ports.length;
    const server = connect({ port: this.#ports[at] ?? 0, host: '127.0.0.1', noDelay: true });
    this.#open.add(server).add(client);
    let isJoined = false;
    server.on('error', () => undefined);
    server.on('connect', () => {
      isJoined = true;
      this.taken[at] = (this.taken[at] ?? 0) + 1;
      client.pipe(server).pipe(client);
    });
    client.on('close', () => {
      this.#open.delete(client);
      server.destroy();
    });
    server.on('close', () => {
      this.#open.delete(server);
      if (isJoined) client.destroy();
      else this.#try(client, tries - 1);
    });
  }
}

/** Below those that systems give to connections: one of these could take the port of a gateway that is away. */
const PORTS = { from: 20_000, count: 10_000 };

/** Ports that nobody listens on now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  while (servers.length < count) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(PORTS.from + Math.floor(Math.random() * PORTS.count), '127.0.0.1', () => resolve(true));
    });
    if (isFree) servers.push(server);
  }
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
