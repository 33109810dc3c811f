import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** A request or notification that the agent got. */
export interface HeardMessage {
  id?: string | number;
  method: string;
  params: JsonObject;
}

/** What the agent answers by itself, by method; what is missing here waits for the test. */
export type Answers = Record<string, (params: JsonObject) => JsonValue>;

/** An ACP agent on a WebSocket whose every message is in the hand of its test. */
export class ScriptedAcpAgent {
  /** Every request and notification, in the order of arrival. */
  readonly heard: HeardMessage[] = [];
  readonly answers: Answers;
  readonly #server: WebSocketServer;
  readonly #taken = new Set<HeardMessage>();
  readonly #watching = new Set<() => void>();
  #socket: WebSocket | undefined;

  private constructor(server: WebSocketServer, answers: Answers) {
    this.#server = server;
    this.answers = answers;
    server.on('connection', (socket) => {
      this.#socket = socket;
      socket.on('message', (data) => this.#hear(JSON.parse(String(data)) as HeardMessage));
      socket.on('error', () => undefined);
    });
  }

  /** `capabilities`: its `agentCapabilities`. */
  static async start(capabilities: JsonObject = {}, answers: Answers = {}): Promise<ScriptedAcpAgent> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    const initialize = () => ({ protocolVersion: 1, agentCapabilities: capabilities });
    return new ScriptedAcpAgent(server, { initialize, ...answers });
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  methods(): string[] {
    return this.heard.map(({ method }) => method);
  }

  /** The next message of this method that nobody has asked for yet. */
  async next(method: string): Promise<HeardMessage> {
    for (;;) {
      const found = this.heard.find((message) => message.method === method && !this.#taken.has(message));
      if (found !== undefined) {
        this.#taken.add(found);
        return found;
      }
      await new Promise<void>((resolve) => this.#watching.add(resolve));
    }
  }

  answer({ id }: HeardMessage, result: JsonValue): void {
    this.send({ jsonrpc: '2.0', id: id ?? null, result });
  }

  refuse({ id }: HeardMessage, error: { code: number; message: string }): void {
    this.send({ jsonrpc: '2.0', id: id ?? null, error });
  }

  tell(sessionId: string, update: JsonObject): void {
    this.send({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } });
  }

  say(sessionId: string, text: string): void {
    this.tell(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }

  send(message: JsonValue): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(text: string): void {
    this.#socket?.send(text);
  }

  /** Cuts the connection, as an agent that dies does. */
  die(): void {
    this.#socket?.terminate();
  }

  async close(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #hear(message: HeardMessage): void {
    if (message.method === undefined) return;
    this.heard.push(message);
    const answer = this.answers[message.method];
    if (answer !== undefined) {
      this.#taken.add(message);
      this.answer(message, answer(message.params));
    }
    for (const watch of this.#watching) watch();
    this.#watching.clear();
  }
}
