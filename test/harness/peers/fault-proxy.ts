import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** What happens to the bytes on their way from the target to the client. */
export type Fault =
  | { readonly kind: 'none' }
  /** Every chunk waits so long. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** One byte per `everyMs` (default 1000: one byte a second). */
  | { readonly kind: 'drip'; readonly everyMs?: number }
  /** Ends each connection, open or new, with a TCP reset. */
  | { readonly kind: 'reset' }
  /** Says the end to the client at once and goes on reading from it. */
  | { readonly kind: 'half-close' }
  /** So many more bytes per connection, then a clean end. */
  | { readonly kind: 'truncate'; readonly afterBytes: number }
  /** Takes connections and passes nothing on. */
  | { readonly kind: 'hang' }
  /** Frees the port: new connections are refused. Open ones go on. */
  | { readonly kind: 'refuse' };

export interface FaultProxy {
  /** Origin of the proxy, without trailing slash. */
  readonly url: string;
  /** Connections taken so far. */
  readonly connections: number;
  forwardTo(targetUrl: string): void;
  /** Changes the fault for open and new connections. */
  set(fault: Fault): Promise<void>;
  close(): Promise<void>;
}

/** A TCP proxy on 127.0.0.1 whose faults the test switches while it runs. */
export async function startFaultProxy(): Promise<FaultProxy> {
  const proxy = new Proxying();
  await proxy.listen(0);
  return proxy;
}

class Proxying implements FaultProxy {
  connections = 0;
  #fault: Fault = { kind: 'none' };
  #target: URL | undefined;
  #port = 0;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  forwardTo(targetUrl: string): void {
    this.#target = new URL(targetUrl);
  }

  async listen(port: number): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async set(fault: Fault): Promise<void> {
    this.#fault = fault;
    if (fault.kind === 'refuse') return this.#stopListening();
    if (this.#server === undefined) await this.listen(this.#port);
    if (fault.kind === 'reset') for (const socket of this.#sockets) socket.resetAndDestroy();
    if (fault.kind === 'half-close') for (const socket of this.#sockets) socket.end();
  }

  async close(): Promise<void> {
    this.#stopListening();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** A server that closes stops listening at once; its open connections live on. */
  #stopListening(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  #accept(client: Socket): void {
    this.connections += 1;
    this.#sockets.add(client);
    client.once('close', () => this.#sockets.delete(client));
    client.on('error', () => client.destroy()); // A broken connection is what this proxy is for.
    if (this.#fault.kind === 'reset') client.resetAndDestroy();
    else if (this.#target === undefined) client.destroy(new Error('The proxy has no target.'));
    else this.#join(client, connect(Number(this.#target.port), this.#target.hostname));
  }

  #join(client: Socket, target: Socket): void {
    target.on('error', () => client.destroy());
    client.once('close', () => target.destroy());
    client.pipe(target);
    this.#relay(client, target).catch(() => client.destroy());
  }

  async #relay(client: Socket, target: Socket): Promise<void> {
    if (this.#fault.kind === 'half-close') client.end();
    let passed = 0;
    for await (const chunk of target as AsyncIterable<Buffer>) {
      const rest = this.#fault.kind === 'truncate' ? this.#fault.afterBytes - passed : chunk.length;
      await this.#pass(chunk.subarray(0, Math.max(0, rest)), client);
      passed += chunk.length;
      if (rest <= chunk.length && this.#fault.kind === 'truncate') break;
    }
    client.end();
  }

  async #pass(chunk: Buffer, client: Socket): Promise<void> {
    const fault = this.#fault;
    if (fault.kind === 'hang') return;
    if (fault.kind === 'delay') await setTimeout(fault.ms);
    if (fault.kind === 'drip') return dripTo(client, chunk, fault.everyMs ?? 1000);
    if (client.writable && !client.write(chunk))
      await Promise.race([once(client, 'drain'), once(client, 'close')]);
  }
}

async function dripTo(client: Socket, chunk: Buffer, everyMs: number): Promise<void> {
  for (const byte of chunk) {
    if (!client.writable) return;
    client.write(Buffer.of(byte));
    await setTimeout(everyMs);
  }
}
