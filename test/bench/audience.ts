import { connect, type Socket } from 'node:net';

/** Many readers of SSE or WebSocket streams that only count bytes, so that the load process costs as little as it can. */
export class Audience {
  readonly #sockets: Socket[] = [];
  readonly #target: URL;
  readonly #head: string;
  readonly #status: string;
  #bytes = 0;
  #expected: { bytes: number; resolve: () => void } | undefined;
  #left: string | undefined;

  constructor(url: string, path: string, status: number, headers: Readonly<Record<string, string>>) {
    this.#status = ` ${status}`;
    this.#target = new URL(path, url);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#head = `GET ${path} HTTP/1.1\r\nhost: ${this.#target.host}\r\n${lines.join('')}\r\n`;
  }

  get size(): number {
    return this.#sockets.length;
  }

  /** Connects so many more readers, a few at a time; each has its response head when this resolves. */
  async join(count: number): Promise<void> {
    const step = 50;
    for (let at = 0; at < count; at += step)
      await Promise.all(Array.from({ length: Math.min(step, count - at) }, () => this.#connect()));
  }

  /** Resolves when the whole audience has received so many bytes since the last call. */
  async received(bytes: number): Promise<void> {
    if (this.#left !== undefined) throw new Error(this.#left);
    await new Promise<void>((resolve) => {
      this.#expected = { bytes, resolve };
      this.#check();
    });
    if (this.#left !== undefined) throw new Error(this.#left);
    this.#bytes -= bytes;
  }

  /** Forgets what came so far. */
  reset(): void {
    this.#bytes = 0;
  }

  /** Sends the same bytes on every connection: what a silent reader owes a server that looks for dead peers. */
  say(bytes: Buffer): void {
    for (const socket of this.#sockets) socket.write(bytes);
  }

  leave(): void {
    for (const socket of this.#sockets.splice(0)) socket.removeAllListeners('close').destroy();
  }

  #connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(this.#target.port), this.#target.hostname);
      socket.once('error', reject);
      socket.write(this.#head);
      socket.once('data', (first: Buffer) => {
        if (!first.toString('latin1', 0, 15).includes(this.#status)) reject(new Error(first.toString()));
        let last = first;
        socket.on('data', (chunk: Buffer) => {
          last = chunk;
          this.#take(chunk.length);
        });
        socket.on('close', () => this.#lost(last));
        resolve();
      });
      this.#sockets.push(socket);
    });
  }

  #take(bytes: number): void {
    this.#bytes += bytes;
    this.#check();
  }

  #check(): void {
    if (this.#expected !== undefined && this.#bytes >= this.#expected.bytes) {
      this.#expected.resolve();
      this.#expected = undefined;
    }
  }

  #lost(last: Buffer): void {
    this.#left = `A subscriber of ${this.#target.href} lost its connection after: ${last.subarray(-300).toString()}`;
    this.#expected?.resolve();
  }
}
