import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** `up`: what clients send. `down`: what they are sent. */
export type Direction = 'up' | 'down';

/** A network between clients and one server on loopback that holds bytes back, in one direction or both, or breaks connections. */
export class CutProxy {
  readonly #server: Server;
  readonly #pipes = new Set<Pipe>();
  readonly #held = new Set<Direction>();
  /** The address for clients, without a scheme. */
  readonly address: string;

  private constructor(server: Server, address: string) {
    this.#server = server;
    this.address = address;
  }

  static async start(port: number): Promise<CutProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
    const proxy = new CutProxy(server, `127.0.0.1:${address.port}`);
    server.on('connection', (client) => proxy.#connect(client, port));
    return proxy;
  }

  /** What is sent arrives only after `release`. */
  hold(...directions: Direction[]): void {
    for (const direction of directions) this.#held.add(direction);
  }

  release(): void {
    this.#held.clear();
    for (const pipe of this.#pipes) pipe.flush();
  }

  /** Breaks every connection there is. */
  reset(): void {
    for (const pipe of this.#pipes) pipe.end();
  }

  async close(): Promise<void> {
    this.reset();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #connect(client: Socket, port: number): void {
    const pipe = new Pipe(client, connect(port, '127.0.0.1'), this.#held, () => this.#pipes.delete(pipe));
    this.#pipes.add(pipe);
  }
}

class Pipe {
  readonly #ends: Readonly<Record<Direction, Socket>>;
  readonly #waiting: Record<Direction, Buffer[]> = { up: [], down: [] };
  readonly #held: ReadonlySet<Direction>;
  readonly #onEnd: () => void;

  constructor(client: Socket, server: Socket, held: ReadonlySet<Direction>, onEnd: () => void) {
    this.#ends = { up: server, down: client };
    this.#held = held;
    this.#onEnd = onEnd;
    client.on('data', (bytes) => this.#pass('up', bytes));
    server.on('data', (bytes) => this.#pass('down', bytes));
    for (const socket of [client, server]) {
      socket.on('close', () => this.end());
      // Its end follows.
      socket.on('error', () => undefined);
    }
  }

  #pass(direction: Direction, bytes: Buffer): void {
    this.#waiting[direction].push(bytes);
    this.flush();
  }

  flush(): void {
    for (const direction of ['up', 'down'] as const)
      if (!this.#held.has(direction))
        for (const bytes of this.#waiting[direction].splice(0)) this.#ends[direction].write(bytes);
  }

  end(): void {
    for (const socket of Object.values(this.#ends)) socket.destroy();
    this.#onEnd();
  }
}
