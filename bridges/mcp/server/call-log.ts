import type { JSONRPCNotification } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { ServerDeps, ServerExchange } from '#protocol-server.ts';
import { isLogged, type LogLevel } from '../../../mappings/mcp/log-levels.ts';
import { askBytes } from '../../wire/gateway-calls.ts';

/** The lines that a server logs during a call, to a client that wants those of this level and above. */
export class CallLog {
  readonly #deps: Pick<ServerDeps, 'gateway'>;
  readonly #exchange: ServerExchange;
  readonly #least: LogLevel;
  readonly #send: (line: JSONRPCNotification, eventId: string) => void;
  #sent: Promise<void> = Promise.resolve();

  constructor(
    deps: Pick<ServerDeps, 'gateway'>,
    exchange: ServerExchange,
    least: LogLevel,
    send: (line: JSONRPCNotification, eventId: string) => void,
  ) {
    this.#deps = deps;
    this.#exchange = exchange;
    this.#least = least;
    this.#send = send;
  }

  /** Sends a line as the log has it, at that event; one that is too large for an event is read from where it is. */
  take(details: JsonObject, eventId: string): void {
    const { artifact_id: id } = objectOf(details['large_metadata']);
    if (typeof id === 'string')
      this.#sent = this.#sent.then(async () => this.#line(await this.#whole(id), eventId));
    else this.#line(details, eventId);
  }

  /** Resolves when every line that was taken is sent; the result comes after them. */
  all(): Promise<void> {
    return this.#sent;
  }

  #line(params: JsonObject, eventId: string): void {
    if (isLogged(params['level'], this.#least))
      this.#send({ jsonrpc: '2.0', method: 'notifications/message', params }, eventId);
  }

  async #whole(artifact_id: string): Promise<JsonObject> {
    const call = this.#exchange.call({ path: { artifact_id } });
    const { bytes } = await askBytes(this.#deps.gateway, 'downloadArtifactContent', call);
    return objectOf(JSON.parse(bytes.toString()));
  }
}

/** What a Task reports of its progress, as the notification of a call that wants it by this token. */
export function progressNotification(
  progressToken: JsonValue,
  { progress = 0, total, message }: JsonObject,
): JSONRPCNotification {
  const params = {
    progressToken,
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  };
  return { jsonrpc: '2.0', method: 'notifications/progress', params };
}
