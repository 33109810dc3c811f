import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { DEFAULT_VERSION, VERSION_HEADER } from '#protocol/versions.ts';
import { clientFrame, serverFrame } from '#surfaces/ws/frames.ts';

export interface WsOptions {
  key?: string;
  headers?: Record<string, string>;
  protocols?: string[];
  /** Leave out the credential and the version of the default headers. */
  bare?: boolean;
  autoPong?: boolean;
}

/** A frame of the gateway, checked against its schema when it came. */
export interface ServerFrame {
  type: string;
  id?: string | null;
  subscription?: string | null;
  replayed?: boolean;
  event?: { id: string; event: string; task_id: string | null; payload: Record<string, unknown> };
  error?: { code: string; message: string; param: string | null; request_id: string; details: object };
  [member: string]: unknown;
}

/** An upgrade that was answered over HTTP. */
export class WsRefused extends Error {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;

  constructor(answer: IncomingMessage, body: string) {
    super(`refused with ${answer.statusCode}: ${body}`);
    this.status = answer.statusCode ?? 0;
    this.headers = answer.headers;
    this.body = body;
  }

  get error(): { code: string; param: string | null; message: string } {
    return (JSON.parse(this.body) as { error: { code: string; param: string | null; message: string } })
      .error;
  }
}

/** A WebSocket client of the gateway for tests: every frame in either direction is held against the schemas. */
export class WsTestClient {
  readonly socket: WebSocket;
  readonly frames: ServerFrame[] = [];
  /** What `send` sent. */
  readonly sent: object[] = [];
  /** Code and reason once the socket is closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #texts: string[] = [];
  #isClosed = false;
  #wake = () => {};

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.#take(String(data)));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        this.#isClosed = true;
        this.#wake();
        resolve({ code, reason: reason.toString() });
      });
    });
  }

  /** Connects, or rejects with WsRefused. */
  static async open(url: string, path: string, options: WsOptions = {}): Promise<WsTestClient> {
    const { key = 'test', headers = {}, protocols = [], bare = false, autoPong = true } = options;
    const standard = bare ? {} : { Authorization: `Bearer ${key}`, [VERSION_HEADER]: DEFAULT_VERSION };
    const target = url.replace(/^http/, 'ws') + path;
    const socket = new WebSocket(target, protocols, { headers: { ...standard, ...headers }, autoPong });
    const client = new WsTestClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
      socket.once(
        'unexpected-response',
        (_, answer) => void bodyOf(answer).then((body) => reject(new WsRefused(answer, body))),
      );
    });
    return client;
  }

  /** The received messages, byte for byte. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Sends a frame that fits the schema; throws for another one. */
  send(frame: object): this {
    clientFrame.parse(frame);
    this.sent.push(frame);
    return this.sendRaw(JSON.stringify(frame));
  }

  sendRaw(text: string | Buffer): this {
    this.socket.send(text);
    return this;
  }

  /** Sends and waits for the ack or error of this frame. */
  async ask(frame: Record<string, unknown> & { id: string }): Promise<ServerFrame> {
    this.send(frame);
    return await this.until(({ id, type }) => id === frame.id && (type === 'ack' || type === 'error'));
  }

  /** The first frame, already here or still to come, that satisfies the condition. */
  async until(condition: (frame: ServerFrame) => boolean): Promise<ServerFrame> {
    for (let at = 0; ; ) {
      const frame = this.frames[at];
      if (frame !== undefined) {
        if (condition(frame)) return frame;
        at += 1;
        continue;
      }
      if (this.#isClosed) throw new Error(`closed while waiting; received: ${this.#texts.join('\n')}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  ofType(type: string): ServerFrame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  get events(): ServerFrame[] {
    return this.ofType('event');
  }

  #take(text: string): void {
    this.#texts.push(text);
    this.frames.push(serverFrame.parse(JSON.parse(text)) as unknown as ServerFrame);
    this.#wake();
  }
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return text;
}
