import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Logger } from '#protocol/ports.ts';
import type { Timers } from '../timers.ts';

/** How long a connection waits for a node that decides. */
const WAIT_MS = 10_000;
const RETRY_MS = 100;

/** Where a port is. */
export interface Place {
  host: string;
  port: number;
}

/** Hands the connections of a port on, byte for byte, to the same port of the node that decides: TLS ends there. */
export class PortRelay {
  readonly #server: Server;
  readonly #parts: { timers: Timers; logger: Logger };
  readonly #open = new Set<Socket>();
  #owner: Place | undefined;

  private constructor(parts: { timers: Timers; logger: Logger }) {
    this.#parts = parts;
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, (client) => this.#take(client));
  }

  static async open(place: Place, parts: { timers: Timers; logger: Logger }): Promise<PortRelay> {
    const relay = new PortRelay(parts);
    relay.#server.listen(place);
    await once(relay.#server, 'listening');
    return relay;
  }

  /** Connections to another one are cut. */
  ownerIs(owner: Place | undefined): void {
    if (owner?.host === this.#owner?.host && owner?.port === this.#owner?.port) return;
    this.#owner = owner;
    for (const upstream of [...this.#open]) upstream.destroy();
  }

  /** The port is free behind it; what was handed on goes on until its end. */
  async leave(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    // It takes no more from here on; its event waits for the connections that are open.
    for (const upstream of [...this.#open]) upstream.destroy();
    await once(this.#server, 'close');
  }

  #take(client: Socket): void {
    client.on('error', (error) => this.#parts.logger.debug({ err: error }, 'connection failed'));
    this.#connect(client, Math.ceil(WAIT_MS / RETRY_MS));
  }

  #connect(client: Socket, tries: number): void {
    if (client.destroyed) return;
    if (tries <= 0 || !this.#server.listening) return void client.destroy();
    const later = () => void this.#parts.timers.after(RETRY_MS, () => this.#connect(client, tries - 1));
    if (this.#owner === undefined) {
      later();
      return;
    }
    const upstream = connect({ ...this.#owner, noDelay: true });
    let isConnected = false;
    this.#open.add(upstream);
    client.once('close', () => upstream.destroy());
    upstream.on('error', (error) => this.#parts.logger.debug({ err: error }, 'connection failed'));
    upstream.on('connect', () => {
      isConnected = true;
      client.pipe(upstream).pipe(client);
    });
    upstream.on('close', () => {
      this.#open.delete(upstream);
      if (isConnected) client.destroy();
      else later();
    });
  }
}
