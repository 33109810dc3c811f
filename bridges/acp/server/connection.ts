import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf } from '#protocol/json-shape.ts';
import type { ServerConnection, ServerConnectionOwner, ServerDeps } from '#protocol-server.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';
import { RpcError } from '../../wire/json-rpc.ts';
import { Peer, type RequestContext } from '../../wire/peer.ts';
import { GatewayCalls } from './calls.ts';
import { WholeEvents } from './contents.ts';
import { type Conversation, maxMessageBytes } from './conversation.ts';
import type { AttachedSession, Draft } from './follow.ts';
import { Hosting } from './hosting.ts';
import { type AgentMethod, isAgentMethod, readParams } from './params.ts';
import { Questions } from './questions.ts';
import { METHODS } from './requests.ts';
import { SessionView } from './session-view.ts';
import type { Tunnels } from './tunnels.ts';
import { Prompts } from './turns.ts';

const GOING_AWAY = 1001;

const NOTIFICATIONS: readonly AgentMethod[] = ['session/cancel', '_harn/mcp/message', '_harn/mcp/close'];
/** Nobody waits for what a notification does. */
const NO_REQUEST: RequestContext = { id: null, signal: new AbortController().signal };

/** One client of ACP v1 on a WebSocket: the gateway is its agent. Its end ends no work. */
export class AgentConnection implements ServerConnectionOwner {
  readonly #talk: Conversation;

  constructor(deps: ServerDeps, connection: ServerConnection, tunnels: Tunnels, draft?: Draft) {
    const peer = new Peer({
      cancelMethod: '$/cancel_request',
      send: (message) => void connection.send(JSON.stringify(message)),
      handlers: {
        request: (method, params, context) => this.#request(method, params, context),
        notification: (method, params) => this.#notification(method, params),
        failed: (error, method) => deps.logger.error({ err: error, method }, 'an ACP request failed'),
      },
    });
    const calls = new GatewayCalls(deps.gateway, connection);
    const asks = () => {
      const { form, url } = objectOf(this.#talk.clientCapabilities['elicitation']);
      return { form: isObject(form), url: isObject(url) };
    };
    const whole = new WholeEvents((id, maxBytes) => calls.content(id, maxBytes), maxMessageBytes(deps));
    const questions = new Questions(calls, peer, deps.logger, asks, whole);
    deps.gateway.connected(connection.requestId);
    const sessions = new Map<string, AttachedSession>();
    const view = new SessionView(() => deps.agents(), calls, whole);
    this.#talk = {
      deps,
      connection,
      peer,
      calls,
      questions,
      hosting: new Hosting(
        deps,
        peer,
        () => calls.actor,
        () => this.#talk.clientCapabilities,
      ),
      tunnels,
      view,
      sessions,
      prompts: new Prompts(connection.requestId, calls),
      clientCapabilities: {},
      clientId: connection.requestId,
      clientInfo: {},
      roles: new Map(),
      isInitialized: false,
      draft,
      whole,
    };
  }

  message(text: string): Promise<void> | undefined {
    const { parseJson } = this.#talk.deps;
    return whenRead(
      () => parseJson(text),
      (value) => this.receive(value),
      (why) => this.receiveRefused(text, why),
    );
  }

  /** Takes a text that could not be read: it is answered by its id where it has one. */
  receiveRefused(text: string, why: string): void {
    const { peer } = this.#talk;
    if (!peer.receiveRefused(text, why)) peer.refuse(null, new RpcError(ACP_ERRORS.parse_error, why));
  }

  receive(value: JsonValue): void {
    this.#talk.peer.receive(value);
  }

  closed(): void {
    this.#talk.peer.close('connection closed');
    this.#talk.hosting.close();
    this.#talk.tunnels.lost(this.#talk.peer);
    for (const session of this.#talk.sessions.values()) session.detach();
    this.#talk.sessions.clear();
    this.#talk.deps.gateway.disconnected(this.#talk.connection.requestId);
  }

  /** Clients reconnect and resume; tasks go on. */
  drain(): void {
    this.#talk.connection.close(GOING_AWAY, 'draining');
  }

  #request(method: string, params: JsonObject, context: RequestContext): Promise<JsonValue> | undefined {
    if (!isAgentMethod(method) || method === 'session/cancel') return undefined;
    return this.#run(method, params, context);
  }

  #notification(method: string, params: JsonObject): void {
    if (!isAgentMethod(method) || !NOTIFICATIONS.includes(method)) return;
    this.#run(method, params, NO_REQUEST).catch((error: unknown) => {
      if (!(error instanceof RpcError)) this.#talk.deps.logger.error({ err: error, method }, 'not taken');
    });
  }

  async #run<Method extends AgentMethod>(
    method: Method,
    params: JsonObject,
    context: RequestContext,
  ): Promise<JsonValue> {
    if (context !== NO_REQUEST) this.#talk.calls.count();
    if (!this.#talk.isInitialized && method !== 'initialize') {
      throw new RpcError(ACP_ERRORS.invalid_request, 'Call initialize first.');
    }
    return METHODS[method](this.#talk, readParams(method, params) as never, context);
  }
}

/**
 * Hands a message over when it is read, or why it was refused: at once, or for a large one when the promise resolves, which never
 * rejects.
 */
export function whenRead(
  read: () => JsonValue | Promise<JsonValue>,
  take: (value: JsonValue) => void,
  refuse: (why: string) => void,
): Promise<void> | undefined {
  const refused = (error: unknown) => refuse(ProtocolError.from(error).message);
  let value: JsonValue | Promise<JsonValue>;
  try {
    value = read();
  } catch (error) {
    refused(error);
    return undefined;
  }
  if (value instanceof Promise) return value.then(take, refused);
  take(value);
  return undefined;
}
