import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  head: string;
  body: string;
}

/** Longer than any honest answer takes on a busy machine. */
const HANG_MS = 20_000;

/** One TCP connection that sends requests byte for byte, one after the other, and reads their answers. */
export class RawConnection {
  readonly #port: number;
  #socket: Socket | undefined;
  #received = Buffer.alloc(0);
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends one request and returns its answer. `undefined`: the gateway closed the connection without one. Rejects when
   * neither happens in time. A stream is answered by its head alone, and left.
   */
  async exchange(request: string, options: { isLast?: boolean } = {}): Promise<RawAnswer | undefined> {
    const socket = this.#connected();
    if (options.isLast) socket.end(request, 'latin1');
    else socket.write(request, 'latin1');
    const late = setTimeout(() => socket.destroy(new Error('hang')), HANG_MS);
    try {
      return await this.#answer(socket, request.startsWith('HEAD '));
    } finally {
      clearTimeout(late);
      if (options.isLast) this.close();
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connected(): Socket {
    if (this.#socket?.writable) return this.#socket;
    this.#received = Buffer.alloc(0);
    const socket = connect(this.#port, '127.0.0.1').setNoDelay(true);
    let failure: Error | undefined;
    socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#wake();
    });
    socket.on('error', (error) => {
      failure = error;
    });
    socket.on('close', () => {
      if (failure?.message === 'hang') this.#hung = true;
      this.#wake();
    });
    this.#socket = socket;
    return socket;
  }

  #hung = false;

  async #answer(socket: Socket, isHead: boolean): Promise<RawAnswer | undefined> {
    for (;;) {
      const answer = this.#take(socket, isHead);
      if (answer !== undefined) return answer;
      if (this.#hung) throw new Error(`no answer in ${HANG_MS} ms, only ${this.#received.length} bytes`);
      if (socket.destroyed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The next whole answer; 1xx ones are passed over. */
  #take(socket: Socket, isHead: boolean): RawAnswer | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const head = this.#received.toString('latin1', 0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    if (status < 200) {
      this.#received = this.#received.subarray(end + 4);
      return this.#take(socket, isHead);
    }
    if (/^content-type: text\/event-stream/im.test(head)) {
      this.close();
      return { status, head, body: '' };
    }
    const length = /^content-length: (\d+)/im.exec(head)?.[1];
    if (!isHead && /^transfer-encoding: chunked/im.test(head))
      return this.#takeChunked(head, status, end + 4);
    const isBare = isHead || status === 204 || status === 304;
    const size = isBare ? 0 : Number(length ?? Number.NaN);
    const body = this.#received.subarray(end + 4);
    if (Number.isNaN(size)) return socket.destroyed ? { status, head, body: body.toString() } : undefined;
    if (body.length < size) return undefined;
    this.#received = body.subarray(size);
    if (/^connection: close/im.test(head)) this.close();
    return { status, head, body: body.toString('utf8', 0, size) };
  }

  /** The same for a body in chunks; a trailer has no members. */
  #takeChunked(head: string, status: number, from: number): RawAnswer | undefined {
    const chunks: Buffer[] = [];
    for (let at = from; ; ) {
      const line = this.#received.indexOf('\r\n', at);
      const size = line < 0 ? Number.NaN : Number.parseInt(this.#received.toString('latin1', at, line), 16);
      const next = line + 2 + size + 2;
      if (Number.isNaN(size) || this.#received.length < next) return undefined;
      if (size === 0) {
        this.#received = this.#received.subarray(next);
        if (/^connection: close/im.test(head)) this.close();
        return { status, head, body: Buffer.concat(chunks).toString('utf8') };
      }
      chunks.push(this.#received.subarray(line + 2, line + 2 + size));
      at = next;
    }
  }
}
