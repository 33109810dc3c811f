import type { IncomingHttpHeaders } from 'node:http';
import type { AdmittedCaller, Call } from '#gateway.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '#protocol/json-shape.ts';
import type { ServerCall, ServerConnection, ServerConnectionOwner, ServerDeps } from '#protocol-server.ts';
import type { SessionState } from '#resources/session/schema.ts';
import type { OutEvent } from '../../../../mappings/acp/events-out.ts';
import { V2_METHODS, V2_NOTIFICATIONS, V2_QUESTIONS } from '../../../../mappings/acp/v2/methods.ts';
import { stateOfEvent, stateOfSession } from '../../../../mappings/acp/v2/states.ts';
import { updateOut } from '../../../../mappings/acp/v2/updates.ts';
import { errorAnswer, methodNotFound, type RpcError, type RpcId } from '../../../wire/json-rpc.ts';
import { AgentConnection } from '../connection.ts';
import type { Draft } from '../follow.ts';
import type { Tunnels } from '../tunnels.ts';

interface Asked {
  method: string;
  sessionId: string;
  /** It is a prompt that was accepted; the end of its turn is reported by updates. */
  isAnswered: boolean;
}

/**
 * A client of the draft version 2 of ACP. It is served by what serves version 1: its requests are translated on their way in,
 * answers, updates and questions on their way out. Two things differ in kind: a prompt is answered when it is accepted, and
 * the state of a session is an update. Spec: ACP v2 draft.
 */
export class DraftConnection implements ServerConnectionOwner, Draft {
  readonly #connection: ServerConnection;
  readonly #inner: AgentConnection;
  /** Requests of the client that are not answered. */
  readonly #asked = new Map<RpcId, Asked>();
  readonly #states = new Map<string, JsonObject>();
  readonly #ids = new MessageIds();
  #unsent = 0;

  constructor(deps: ServerDeps, connection: ServerConnection, tunnels: Tunnels) {
    this.#connection = connection;
    const outlet = new Outlet(
      connection,
      (text) => this.#out(JSON.parse(text) as JsonObject),
      (text) => this.#sendLargeUpdate(JSON.parse(text) as JsonObject),
    );
    this.#inner = new AgentConnection(deps, outlet, tunnels, this);
  }

  message(text: string): Promise<void> | undefined {
    return this.#inner.message(text);
  }

  receiveRefused(text: string, why: string): void {
    this.#inner.receiveRefused(text, why);
  }

  /** Takes a message in the words of version 2. */
  receive(message: JsonValue): void {
    const method = isObject(message) ? textOf(message['method']) : undefined;
    if (!isObject(message) || method === undefined) {
      this.#inner.receive(message);
      return;
    }
    const { id } = message;
    if (id === undefined) {
      if (V2_NOTIFICATIONS.includes(method)) this.#inner.receive(message);
      return;
    }
    const row = Object.hasOwn(V2_METHODS, method) ? V2_METHODS[method] : undefined;
    if (row === undefined) {
      this.#refuse(id as RpcId, methodNotFound(method));
      return;
    }
    const params = objectOf(message['params']);
    const sessionId = textOf(params['sessionId']) ?? '';
    if (!this.#asked.has(id as RpcId)) this.#asked.set(id as RpcId, { method, sessionId, isAnswered: false });
    this.#inner.receive({
      ...message,
      method: row.method?.(params) ?? method,
      params: row.params(params),
    });
  }

  closed(): void {
    this.#inner.closed();
  }

  drain(): void {
    this.#inner.drain();
  }

  accepted(id: RpcId, messageId: string): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    asked.isAnswered = true;
    this.#send({ jsonrpc: '2.0', id, result: { messageId } });
  }

  statesOf(sessionId: string, event: OutEvent): JsonObject[] {
    const state = stateOfEvent(event);
    if (state === undefined) return [];
    this.#states.set(sessionId, state);
    return [{ sessionUpdate: 'state_update', ...state }];
  }

  /** Every resume sends the state as it is: that of the newest event, else that of the Session as it was read. */
  stateNow(sessionId: string, state: SessionState): JsonObject {
    return { sessionUpdate: 'state_update', ...(this.#states.get(sessionId) ?? stateOfSession(state)) };
  }

  #refuse(id: RpcId, { fault }: RpcError): void {
    this.#connection.send(errorAnswer(id, fault));
  }

  #out(message: JsonObject): number {
    const method = textOf(message['method']);
    if (method === undefined) this.#answered(message);
    else if (method === 'session/update') this.#sendUpdate(message);
    else {
      const translate = V2_QUESTIONS[method];
      const params = objectOf(message['params']);
      this.#send(translate === undefined ? message : { ...message, params: translate(params) });
    }
    return this.#unsent;
  }

  #answered(message: JsonObject): void {
    const id = (message['id'] ?? null) as RpcId;
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    const { result } = message;
    if (asked?.isAnswered) {
      this.#turnOver(asked, objectOf(result));
      return;
    }
    const row = asked === undefined ? undefined : V2_METHODS[asked.method];
    this.#send(row === undefined || !isObject(result) ? message : { ...message, result: row.result(result) });
  }

  /** A turn that ended is reported by its event; one that asks in words waits for the next prompt, so the session is idle. */
  #turnOver({ sessionId }: Asked, result: JsonObject): void {
    const { status } = objectOf(objectOf(result['_meta'])['harn']);
    if (status !== 'INPUT_REQUIRED') return;
    const state = { state: 'idle', stopReason: 'end_turn' };
    this.#states.set(sessionId, state);
    const update = { sessionUpdate: 'state_update', ...state };
    this.#send({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } });
  }

  #sendUpdate(message: JsonObject): void {
    const update = this.#translated(message);
    if (update !== undefined) this.#send(update);
  }

  async #sendLargeUpdate(message: JsonObject): Promise<void> {
    const update = this.#translated(message);
    if (update !== undefined) await this.#connection.sendLarge(JSON.stringify(update));
  }

  /** A `session/update` in the words of version 2; undefined where it has none. */
  #translated(message: JsonObject): JsonObject | undefined {
    const params = objectOf(message['params']);
    const given = objectOf(params['update']);
    const update = updateOut(given, this.#ids.of(textOf(params['sessionId']) ?? '', given));
    return update === undefined ? undefined : { ...message, params: { ...params, update } };
  }

  #send(message: JsonObject): void {
    this.#unsent = this.#connection.send(JSON.stringify(message));
  }
}

/**
 * Ids for pieces of messages whose agent gives none. Pieces of one kind that follow each other are one message, named after
 * the event of the first one, so that a replay gives the same ids.
 */
class MessageIds {
  readonly #open = new Map<string, { kind: string; id: string }>();

  of(sessionId: string, update: JsonObject): string {
    const kind = textOf(update['sessionUpdate']) ?? '';
    const open = this.#open.get(sessionId);
    if (open?.kind === kind) return open.id;
    const eventId = textOf(objectOf(objectOf(update['_meta'])['harn'])['eventId']) ?? 'live';
    const id = `${kind}:${eventId}`;
    this.#open.set(sessionId, { kind, id });
    return id;
  }
}

/** A connection whose messages are sent by somebody else. */
class Outlet implements ServerConnection {
  readonly #connection: ServerConnection;
  readonly #send: (text: string) => number;
  readonly #sendLarge: (text: string) => Promise<void>;

  constructor(
    connection: ServerConnection,
    send: (text: string) => number,
    sendLarge: (text: string) => Promise<void>,
  ) {
    this.#connection = connection;
    this.#send = send;
    this.#sendLarge = sendLarge;
  }

  get requestId(): string {
    return this.#connection.requestId;
  }

  get headers(): IncomingHttpHeaders {
    return this.#connection.headers;
  }

  get subprotocol(): string {
    return this.#connection.subprotocol;
  }

  get signal(): AbortSignal {
    return this.#connection.signal;
  }

  get caller(): AdmittedCaller {
    return this.#connection.caller;
  }

  call(given?: ServerCall): Call {
    return this.#connection.call(given);
  }

  count(): void {
    this.#connection.count();
  }

  send(text: string): number {
    return this.#send(text);
  }

  sendLarge(text: string): Promise<void> {
    return this.#sendLarge(text);
  }

  cork(): void {
    this.#connection.cork();
  }

  uncork(): void {
    this.#connection.uncork();
  }

  drained(): Promise<void> {
    return this.#connection.drained();
  }

  close(code: number, reason?: string): void {
    this.#connection.close(code, reason);
  }
}
