import { afterEach, beforeEach } from 'vitest';
import { AUTH, eventually, RawClient, startSurface, type UnderTest } from './surface-under-test.ts';

export const TASK_STREAM = '/v1/tasks/task_1/stream';

/** A surface with small stream limits for every test of a file, and clients on bare sockets to compare the bytes. */
export class StreamStage {
  #under: UnderTest | undefined;
  readonly #clients: RawClient[] = [];

  constructor() {
    beforeEach(async () => {
      this.#under = await startSurface({ limits: { streamBufferBytes: 256 * 1024, maxStreams: 3 } });
    });
    afterEach(async () => {
      for (const client of this.#clients.splice(0)) client.socket.destroy();
      await this.under.close();
    });
  }

  get under(): UnderTest {
    if (this.#under === undefined) throw new Error('the stage is used outside a test');
    return this.#under;
  }

  /** Opens a stream on a bare socket. */
  async follow(path = TASK_STREAM, headers: Record<string, string> = {}): Promise<RawClient> {
    const client = new RawClient(this.under.port);
    this.#clients.push(client);
    const lines = Object.entries({ Host: `127.0.0.1:${this.under.port}`, ...AUTH, ...headers });
    client.send(
      `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    return client;
  }

  /** The count-th stream the gateway was asked for, once its head has arrived. */
  async opened(client: RawClient, count = 1) {
    await client.until((text) => text.includes('\r\n\r\n'));
    await eventually(() => this.under.gateway.streams.length >= count);
    const stream = this.under.gateway.streams[count - 1];
    if (stream === undefined) throw new Error('no stream');
    return stream;
  }
}
