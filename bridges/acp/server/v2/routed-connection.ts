import type { AgentConnector, AnyMessage } from '@agentclientprotocol/sdk/experimental/v2';
import type { JsonValue } from '#protocol/json.ts';
import type { ServerConnection, ServerConnectionOwner, ServerDeps } from '#protocol-server.ts';
import { refusalOf } from '../../../wire/json-rpc.ts';
import { AgentConnection, whenRead } from '../connection.ts';
import type { Tunnels } from '../tunnels.ts';
import { DraftConnection } from './draft-connection.ts';

const GOING_AWAY = 1001;

/** What takes messages that are read. */
interface Taker extends ServerConnectionOwner {
  receive(message: JsonValue): void;
  receiveRefused(text: string, why: string): void;
}

/**
 * A client of version 1 or of the draft version 2: the router of the SDK chooses by its `initialize`. Messages reach their
 * taker in the order in which they came; what is sent does not pass the router.
 */
export class RoutedConnection implements ServerConnectionOwner {
  readonly #connection: ServerConnection;
  readonly #deps: ServerDeps;
  #taker: Taker | undefined;
  #controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  #isClosed = false;

  constructor(deps: ServerDeps, connection: ServerConnection, tunnels: Tunnels) {
    this.#deps = deps;
    this.#connection = connection;
    const readable = new ReadableStream<AnyMessage>({
      start: (controller) => {
        this.#controller = controller;
      },
    });
    const writable = new WritableStream<AnyMessage>({
      write: (message) => void connection.send(JSON.stringify(message)),
    });
    void this.#route({ readable, writable }, tunnels).catch((error: unknown) => this.#broken(error));
  }

  message(text: string): Promise<void> | undefined {
    return whenRead(
      () => this.#deps.parseJson(text),
      (message) => {
        if (!this.#isClosed) this.#controller?.enqueue(message as unknown as AnyMessage);
      },
      (why) => {
        if (this.#taker === undefined) this.#connection.send(refusalOf(text, why));
        else this.#taker.receiveRefused(text, why);
      },
    );
  }

  closed(code: number): void {
    this.#isClosed = true;
    this.#taker?.closed(code);
    this.#controller?.close();
  }

  drain(): void {
    if (this.#taker === undefined) this.#connection.close(GOING_AWAY, 'draining');
    else this.#taker.drain();
  }

  /** The draft of the SDK takes long to load, and few gateways offer it. */
  async #route(stream: Parameters<AgentConnector['connect']>[0], tunnels: Tunnels): Promise<void> {
    const { agentProtocolRouter } = await import('@agentclientprotocol/sdk/experimental/v2');
    const served = (make: () => Taker): AgentConnector => ({
      connect: ({ readable }) => ({ closed: this.#serve(make(), readable) }),
    });
    await agentProtocolRouter()
      .withV1(served(() => new AgentConnection(this.#deps, this.#connection, tunnels)))
      .withV2(served(() => new DraftConnection(this.#deps, this.#connection, tunnels)))
      .connect(stream).closed;
  }

  async #serve(taker: Taker, readable: ReadableStream<AnyMessage>): Promise<void> {
    this.#taker = taker;
    for await (const message of readable) {
      if (this.#isClosed) return;
      taker.receive(message as unknown as JsonValue);
    }
  }

  #broken(error: unknown): void {
    this.#deps.logger.error({ err: error }, 'an ACP connection could not be routed');
    this.#connection.close(1011, 'failed');
  }
}
