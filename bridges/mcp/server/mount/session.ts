import {
  type EventStore,
  StreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { ServerDeps, ServerExchange } from '#protocol-server.ts';
import { MCP_ERRORS } from '../../../../mappings/mcp/errors.ts';
import type { RpcError } from '../../../wire/json-rpc.ts';
import { timersOf } from '../../../wire/waits.ts';
import { whileAway } from '../../client/connection.ts';
import { SESSION_LOST } from '../../client/faults.ts';
import { notRunFault } from '../../client/session-connection.ts';
import { type OpenServer, openTools } from '../../mounted-server.ts';
import { SESSION_ID_BYTES } from '../session-table.ts';

interface OpenRequest {
  method: string;
  token: JsonValue | undefined;
  /** The wire that took it; undefined while none has. */
  sentOn?: Transport;
  /** No call of it runs any more. */
  over?: () => void;
}

/** Of what a client says once for a whole session, besides the resources that it watches. */
const SENT_AGAIN = ['initialize', 'notifications/initialized', 'logging/setLevel'];

/**
 * One client on one server, message by message: what either side says reaches the other as it was said, ids, progress
 * tokens and capabilities included. Only what the operator closed is held back.
 */
export class MountSession {
  readonly id: string;
  readonly actor: string;
  /** Whose policy the tools were opened by. */
  readonly workspaceId: string;
  usedAt: number;
  readonly #deps: ServerDeps;
  #server: OpenServer;
  /** The server is run by another row of the configuration now: it is changed over to when nothing runs on the wire. */
  #isStale = false;
  readonly #client: StreamableHTTPServerTransport;
  #wire: Transport;
  #renewal: Promise<void> | undefined;
  /** The wire to the server is over, and the next request opens another one. */
  #isEnded = false;
  /** Requests of the client that are not answered yet nor taken back, by id. */
  readonly #open = new Map<RequestId, OpenRequest>();
  /** What has to be sent again to a server that starts anew, in order, by what it is about. */
  readonly #sentAgain = new Map<string, JSONRPCMessage>();
  #revision: JsonValue | undefined;
  /** Definitions that this connection listed and that are held back, by tool: not all processes of a server need list the same. */
  readonly #heldBack = new Map<string, JsonValue>();
  #sent: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  readonly #over: () => void;

  constructor(
    deps: ServerDeps,
    server: OpenServer,
    wire: Transport,
    { actor, workspaceId }: { actor: string; workspaceId: string },
    onClosed: (id: string) => void,
  ) {
    this.#deps = deps;
    this.#server = server;
    this.actor = actor;
    this.workspaceId = workspaceId;
    this.id = Buffer.from(deps.random.bytes(SESSION_ID_BYTES)).toString('hex');
    this.usedAt = deps.clock.monotonic();
    this.#wire = wire;
    this.#client = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => this.id,
      onsessionclosed: onClosed,
      eventStore: new RecentMessages(),
    });
    this.#client.onmessage = (message) => this.#fromClient(message);
    // Without its client a server has nobody to speak to.
    this.#over = () => {
      onClosed(this.id);
      void this.close();
    };
    this.#client.onclose = this.#over;
    this.#follow(wire);
  }

  #follow(wire: Transport): void {
    this.#wire = wire;
    this.#isEnded = false;
    wire.onmessage = (message) => this.#fromServer(message);
    wire.onclose = () => this.#ended(wire);
  }

  /** A server that a client has spoken to is started again by its next request; nobody misses one that has said nothing. */
  #ended(wire: Transport): void {
    if (wire !== this.#wire || this.#closing !== undefined) return;
    this.#isEnded = true;
    this.#loseSentOn(wire, 'The server ended; whether the request ran is unknown.');
    if (this.#revision === undefined) this.#over();
  }

  async open(): Promise<void> {
    await this.#client.start();
    await this.#wire.start();
  }

  /** By whose row and policy it goes on. */
  serveBy(server: OpenServer): void {
    this.#isStale ||= server.row !== this.#server.row;
    this.#server = server;
  }

  async handle(exchange: ServerExchange, body: JsonValue | undefined): Promise<void> {
    this.usedAt = this.#deps.clock.monotonic();
    const { req, res } = exchange.takeOver(() => res.end());
    await this.#client.handleRequest(req, res, body);
  }

  /** Each side says that it is over while it is being closed. */
  close(): Promise<void> {
    this.#closing ??= this.#sent.then(async () => {
      await Promise.all([this.#client.close(), this.#wire.close()]);
    });
    return this.#closing;
  }

  #fromClient(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) {
      const { id, method, params } = message;
      const given = objectOf(params);
      const name = String(given['name']);
      const isCall = method === 'tools/call';
      const refusal = isCall ? this.#server.refusal(name, this.#heldBack.get(name)) : undefined;
      if (refusal !== undefined) {
        this.#answer({ jsonrpc: '2.0', id, error: { code: refusal.code, message: refusal.message } });
        return;
      }
      const open: OpenRequest = { method, token: objectOf(given['_meta'])['progressToken'] };
      if (isCall) open.over = this.#server.begins(name, (why) => this.#endHalted(id, why));
      this.#open.set(id, open);
      this.#remember(message, given);
      this.#deliver(message, open).catch(() => this.#lost(id, 'The server could not be reached.'));
      return;
    }
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#settle(objectOf(message.params)['requestId'] as RequestId);
    if ('method' in message) this.#remember(message, objectOf(message.params));
    this.#wire.send(message).catch(() => undefined);
  }

  /** No answer is awaited to it any more; undefined where none was. */
  #settle(id: RequestId): OpenRequest | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.over?.();
    return open;
  }

  #endHalted(id: RequestId, { code, message }: RpcError): void {
    if (this.#settle(id) === undefined) return;
    this.#answer({ jsonrpc: '2.0', id, error: { code, message } });
    const taken = { method: 'notifications/cancelled', params: { requestId: id, reason: 'halted' } };
    this.#wire.send({ jsonrpc: '2.0', ...taken }).catch(() => undefined);
  }

  #remember(message: JSONRPCMessage & { method: string }, { uri }: JsonObject): void {
    const { method } = message;
    if (method === 'resources/unsubscribe') this.#sentAgain.delete(`resources/subscribe ${String(uri)}`);
    if (method === 'resources/subscribe') this.#sentAgain.set(`${method} ${String(uri)}`, message);
    if (SENT_AGAIN.includes(method)) this.#sentAgain.set(method, message);
  }

  /** Hands a request to the server, which may be away for a while; anew in a new session where it has forgotten the one. */
  #deliver(message: JSONRPCRequest, open: OpenRequest): Promise<void> {
    const { clock, timers } = this.#deps;
    let isAnew = false;
    const isWanted = () => this.#closing === undefined && this.#open.get(message.id) === open;
    const send = async (): Promise<void> => {
      const isAlone = this.#open.size === 1 && message.method !== 'initialize';
      if (this.#isEnded || (this.#isStale && isAlone)) await this.#renew(this.#wire);
      const wire = this.#wire;
      try {
        await wire.send(message);
        open.sentOn = wire;
      } catch (error) {
        const fault = notRunFault(error);
        if (fault !== SESSION_LOST) throw fault ?? error;
        if (isAnew || message.method === 'initialize') throw error;
        await this.#renew(wire);
        isAnew = true;
        await send();
      }
    };
    const forMs = this.#server.limits.restart_wait_ms;
    return whileAway(send, { clock, timers: timersOf(timers), forMs, isWanted });
  }

  #renew(lost: Transport): Promise<void> {
    if (lost !== this.#wire) return Promise.resolve();
    this.#renewal ??= this.#openAnew(lost).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** A new session of the server for the one of the client, which learns nothing of it. */
  async #openAnew(lost: Transport): Promise<void> {
    const wire = await this.#server.transport();
    try {
      await this.#introduce(wire);
    } catch (error) {
      await wire.close();
      throw notRunFault(error) ?? error;
    }
    lost.onclose = () => undefined;
    lost.onmessage = () => undefined;
    this.#follow(wire);
    this.#isStale = false;
    this.#loseSentOn(lost, 'The server started anew; whether the request ran is unknown.');
    await lost.close();
  }

  #loseSentOn(lost: Transport, message: string): void {
    for (const [id, { sentOn }] of this.#open) if (sentOn === lost) this.#lost(id, message);
  }

  /** Says again what the client said of itself and what it wants to hear. Rejects for a server that became another one. */
  async #introduce(wire: Transport): Promise<void> {
    const answers = new Map<RequestId, (answer: JSONRPCMessage) => void>();
    wire.onmessage = (message) => {
      const answered =
        'id' in message && !('method' in message) ? answers.get(message.id as RequestId) : undefined;
      if (answered === undefined) this.#fromServer(message);
      else answered(message);
    };
    // One that ends meanwhile answers nothing.
    wire.onclose = () => {
      for (const answered of answers.values()) answered({ jsonrpc: '2.0', id: '', result: {} });
    };
    await wire.start();
    for (const message of this.#sentAgain.values()) {
      if (!('id' in message) || !('method' in message)) {
        await wire.send(message);
        continue;
      }
      const answer = this.#answered(message.id, answers);
      await wire.send(message);
      const { result } = objectOf(await answer);
      if (message.method !== 'initialize') continue;
      const { protocolVersion } = objectOf(result);
      if (protocolVersion !== this.#revision) throw new Error('The server speaks another revision now.');
      wire.setProtocolVersion?.(String(protocolVersion));
    }
  }

  async #answered(
    id: RequestId,
    answers: Map<RequestId, (answer: JSONRPCMessage) => void>,
  ): Promise<JSONRPCMessage> {
    let stop: () => void = () => undefined;
    try {
      return await new Promise((resolve, reject) => {
        answers.set(id, resolve);
        const { connect_timeout_ms: ms } = this.#server.limits;
        stop = this.#deps.timers.after(ms, () => reject(new Error('The server did not answer.')));
      });
    } finally {
      stop();
    }
  }

  /** A server that cannot be reached any more says nothing, so its client gets an error. */
  #lost(id: RequestId, message: string): void {
    if (this.#settle(id) === undefined) return;
    this.#answer({ jsonrpc: '2.0', id, error: { code: MCP_ERRORS.internal_error, message } });
  }

  #fromServer(message: JSONRPCMessage): void {
    if ('method' in message) {
      const related = this.#relatedTo(message.method, objectOf(message.params));
      this.#answer(message, related);
      return;
    }
    // An answer to what was ended here, or taken back, is nobody's.
    const open = message.id === undefined ? undefined : this.#settle(message.id);
    if (message.id !== undefined && open === undefined) return;
    if (!('result' in message)) {
      this.#answer(message);
      return;
    }
    const result = message.result as JsonObject;
    const { method } = open ?? {};
    if (method === 'initialize') {
      this.#revision = result['protocolVersion'];
      this.#wire.setProtocolVersion?.(String(this.#revision));
    }
    this.#answer(
      method === 'tools/list'
        ? ({ ...message, result: openTools(this.#server, result, this.#heldBack) } as never)
        : message,
    );
  }

  /** The request on whose stream a message belongs: by progress token, else the only one that is open. */
  #relatedTo(method: string, params: JsonObject): RequestId | undefined {
    const token = params['progressToken'];
    if (method === 'notifications/progress' && token !== undefined)
      return [...this.#open].find(([, open]) => open.token === token)?.[0];
    if (method.endsWith('/list_changed') || method === 'notifications/resources/updated') return undefined;
    const [only, ...more] = this.#open.keys();
    return more.length === 0 ? only : undefined;
  }

  /** In the order they came, although each is stored before it is sent. */
  #answer(message: JSONRPCMessage, relatedRequestId?: RequestId): void {
    const options = relatedRequestId === undefined ? {} : { relatedRequestId };
    this.#sent = this.#sent.then(() => this.#client.send(message, options)).catch(() => undefined);
  }
}

/** Messages kept per session; a client that was away for longer asks for the Task instead. */
const MAX_MESSAGES = 256;

/** The newest messages of one session, for a client that comes back with Last-Event-ID. The Tasks themselves are durable. */
class RecentMessages implements EventStore {
  readonly #messages: { id: string; streamId: string; message: JSONRPCMessage }[] = [];
  #count = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#count += 1;
    const id = `${streamId}/${String(this.#count).padStart(12, '0')}`;
    this.#messages.push({ id, streamId, message });
    if (this.#messages.length > MAX_MESSAGES) this.#messages.shift();
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#messages.find((kept) => kept.id === id)?.streamId;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.#messages.findIndex(({ id }) => id === lastEventId);
    const streamId = this.#messages[at]?.streamId;
    if (streamId === undefined) throw new Error('The messages after that event are not kept any more.');
    for (const kept of this.#messages.slice(at + 1)) {
      if (kept.streamId === streamId) await send(kept.id, kept.message);
    }
    return streamId;
  }
}
