import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { ServerDeps, ServerExchange, ServerStream } from '#protocol-server.ts';
import { resultForSession } from '../../../mappings/mcp/eras.ts';
import { LOG_LEVELS, type LogLevel, logLevelOf } from '../../../mappings/mcp/log-levels.ts';
import { CallLog, progressNotification } from './call-log.ts';
import { refusedCall, rpcErrorOf, sendRpcError } from './faults.ts';
import { messageFrame, PostAnswer } from './post-answer.ts';
import {
  askedBy,
  askOf,
  elicitationOf,
  findTool,
  finishCall,
  INSTRUCTIONS,
  listTools,
  type Question,
  respond,
  SERVER_NAME,
  submitCall,
} from './requests.ts';
import { listResources, readResource, resourceTemplates } from './resources.ts';
import { callId, isListsId, placeOf } from './resume-id.ts';
import { resumeCall, waysOfAsking } from './resumed-call.ts';
import { SESSION_ID_BYTES } from './session-table.ts';

/** The part of the SDK's `extra` that a handler uses. */
interface Extra {
  signal: AbortSignal;
  requestId: RequestId;
  authInfo?: { extra?: Record<string, unknown> };
}

interface ServerSessionOptions {
  actor: string;
  /** Id of an event that stands for the lists as they are now. */
  listsId(): string;
  onClosed(id: string): void;
}

/**
 * One MCP session of the revisions with sessions (2025-11-25 and older), bound to the actor that opened it. Each request
 * is made with the credential it came with.
 */
export class ServerSession {
  readonly id: string;
  readonly actor: string;
  readonly #deps: ServerDeps;
  readonly #server: Server;
  readonly #transport: ServerTransport;
  readonly #onClosed: (id: string) => void;
  /** Who waits for the answer to a question, by its permission request. */
  readonly #asked = new Map<string, () => void>();
  #usedAt: number;
  /** Lines of servers that the client wants; all of them until it says. */
  #logLevel: LogLevel = LOG_LEVELS[0];
  /** The gateway ends the session: what its client called goes on. */
  #isLeaving = false;

  constructor(deps: ServerDeps, { actor, listsId, onClosed }: ServerSessionOptions) {
    this.#deps = deps;
    this.#onClosed = onClosed;
    this.actor = actor;
    this.id = Buffer.from(deps.random.bytes(SESSION_ID_BYTES)).toString('hex');
    this.#usedAt = deps.clock.monotonic();
    this.#transport = new ServerTransport({
      deps,
      sessionId: this.id,
      listsId,
      takeAnswer: (exchange, message) => this.#takeAnswer(exchange, message),
    });
    const capabilities = { tools: { listChanged: true }, resources: { listChanged: true }, logging: {} };
    this.#server = new Server(
      { name: SERVER_NAME, version: deps.version },
      { capabilities, instructions: INSTRUCTIONS },
    );
    // The SDK's own takes any word for a level, and keeps it to itself.
    this.#server.removeRequestHandler('logging/setLevel');
    this.#server.fallbackRequestHandler = (request, extra) =>
      this.#answer(request, extra as unknown as Extra);
  }

  /** When it was used last; a session with an open call is used now. */
  get usedAt(): number {
    return this.#transport.isBusy ? this.#deps.clock.monotonic() : this.#usedAt;
  }

  async open(): Promise<void> {
    await this.#server.connect(this.#transport);
  }

  /** Handles one HTTP request of the session: a POST with its body, a GET, or a DELETE. */
  async handle(exchange: ServerExchange, method: string, body: JsonValue | undefined): Promise<void> {
    this.#usedAt = this.#deps.clock.monotonic();
    if (method === 'DELETE') {
      this.#onClosed(this.id);
      await this.#server.close();
      exchange.sendEmpty(200);
      return;
    }
    const last = exchange.headers['last-event-id'];
    const place = body === undefined && typeof last === 'string' ? placeOf(last) : undefined;
    if (place === undefined) await this.#transport.handle(exchange, body);
    else await resumeCall(this.#deps, exchange, place, ['Mcp-Session-Id', this.id], this.#logLevel);
  }

  async toolsChanged(): Promise<void> {
    await this.#server.notification({ method: 'notifications/tools/list_changed' });
  }

  async close(): Promise<void> {
    this.#isLeaving = true;
    await this.#server.close();
  }

  async #answer({ method, params }: JSONRPCRequest, extra: Extra): Promise<Record<string, unknown>> {
    const exchange = extra.authInfo?.extra?.['exchange'] as ServerExchange;
    const given = objectOf(params);
    try {
      switch (method) {
        case 'tools/list':
          return resultForSession(method, await listTools(this.#deps, exchange, given['cursor']));
        case 'tools/call':
          return resultForSession(method, await this.#call(exchange, given, extra));
        case 'resources/list':
          return await listResources(this.#deps, exchange, given['cursor']);
        case 'resources/templates/list':
          return { resourceTemplates: resourceTemplates() };
        case 'resources/read':
          return await readResource(this.#deps, exchange, String(given['uri']));
        case 'logging/setLevel':
          return this.#setLogLevel(given['level']);
        default:
          throw Object.assign(new Error(`Method not found: ${method}`), { code: -32601 });
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error && typeof error.code === 'number') throw error;
      throw rpcErrorOf(error, exchange.requestId);
    }
  }

  #setLogLevel(word: unknown): Record<string, unknown> {
    const level = logLevelOf(word);
    if (level === undefined)
      throw new ProtocolError('invalid_request', `params.level: must be one of ${LOG_LEVELS.join(', ')}.`, {
        param: 'params.level',
      });
    this.#logLevel = level;
    return {};
  }

  async #call(exchange: ServerExchange, params: JsonObject, extra: Extra): Promise<JsonObject> {
    const { requestId } = extra;
    const token = objectOf(params['_meta'])['progressToken'];
    const progressToken = typeof token === 'string' || typeof token === 'number' ? token : null;
    const asks = waysOfAsking(this.#server.getClientCapabilities()?.elicitation);
    const placeAfter = (after: string) => callId({ taskId, requestId, progressToken, after, asks });
    let taskId = '';
    const answer = this.#transport.answerTo(requestId);
    const progress = (report: JsonObject, after: string) => {
      if (progressToken !== null)
        answer?.send(progressNotification(progressToken, report), placeAfter(after));
    };
    const log = new CallLog(this.#deps, exchange, this.#logLevel, (line, after) =>
      answer?.send(line, placeAfter(after)),
    );
    const call = {
      exchange,
      sessionKey: `mcp:${this.id}`,
      hasSession: true,
      log: (line: JsonObject, after: string) => log.take(line, after),
      signal: this.#takenBack(extra),
      progress,
    };
    try {
      const tool = await findTool(this.#deps, exchange, String(params['name']));
      taskId = (await submitCall(this.#deps, call, tool, params)).id;
      answer?.resumable(placeAfter(''));
      const result = await finishCall(this.#deps, call, tool, taskId, (question) =>
        this.#ask(requestId, question),
      );
      await log.all();
      return result;
    } catch (error) {
      // The Task goes on without the gateway, and its client finds it again.
      if (taskId !== '' && ProtocolError.from(error).code === 'service_unavailable')
        this.#transport.leave(requestId);
      const refused = refusedCall(error, exchange.requestId);
      if (refused !== undefined) return refused;
      throw error;
    }
  }

  /** Aborts when the client takes its call back, or ends the session. */
  #takenBack({ signal }: Extra): AbortSignal {
    const client = new AbortController();
    const abort = () => {
      if (!this.#isLeaving) client.abort();
    };
    signal.addEventListener('abort', abort, { once: true });
    return client.signal;
  }

  #ask(requestId: RequestId, question: Question): Promise<void> | undefined {
    const params = elicitationOf(question, this.#server.getClientCapabilities()?.elicitation);
    if (params === undefined) return undefined;
    const answered = new Promise<void>((resolve) => {
      this.#asked.set(question.requestId, resolve);
    });
    this.#transport.answerTo(requestId)?.send(askOf(question, params));
    return answered;
  }

  /** Whoever of the actor's connections answers: what the answer is for stands in its id. */
  async #takeAnswer(exchange: ServerExchange, message: JSONRPCMessage): Promise<boolean> {
    const answered = await takeAnswer(this.#deps, exchange, message);
    if (answered === undefined) return false;
    this.#asked.get(answered)?.();
    this.#asked.delete(answered);
    return true;
  }
}

/** Gives the answer of a client to the question it is for, and says which; undefined when it is for none. */
export async function takeAnswer(
  deps: ServerDeps,
  exchange: ServerExchange,
  message: JSONRPCMessage,
): Promise<string | undefined> {
  if ('method' in message || message.id === undefined) return undefined;
  const requestId = askedBy(message.id);
  if (requestId === undefined) return undefined;
  // A client that fails to ask its person has not refused for them.
  const result = isJSONRPCResultResponse(message) ? objectOf(message.result) : { action: 'cancel' };
  try {
    await respond(deps, exchange, requestId, result);
  } catch (error) {
    // Somebody else was faster: the call goes on all the same.
    if (ProtocolError.from(error).code !== 'conflict') throw error;
  }
  return requestId;
}

/** Messages of one batch (2025-03-26). */
const MAX_BATCH = 100;
/** The first revision whose clients read an event without a message. */
const PRIMED_SINCE = '2025-11-25';

interface ServerTransportOptions {
  deps: Pick<ServerDeps, 'timers'>;
  sessionId: string;
  /** Id of an event that stands for the lists as they are now. */
  listsId(): string;
  /** Takes the answer to a question of ours; false when it is none. */
  takeAnswer(exchange: ServerExchange, message: JSONRPCMessage): Promise<boolean>;
}

/** Streamable HTTP of one session: every POST is answered by itself. Spec: MCP 2025-11-25, "Transports". */
class ServerTransport implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly sessionId: string;
  readonly #options: ServerTransportOptions;
  readonly #answers = new Map<RequestId, PostAnswer>();
  #listener: ServerStream | undefined;
  #isInitialized = false;

  constructor(options: ServerTransportOptions) {
    this.#options = options;
    this.sessionId = options.sessionId;
  }

  async start(): Promise<void> {}

  /** Handles a POST, with its body, or a GET. */
  async handle(exchange: ServerExchange, body: JsonValue | undefined): Promise<void> {
    const fault = headerFault(exchange, body !== undefined);
    if (fault !== undefined) sendRpcError(exchange, fault.status, -32000, fault.message);
    else if (body !== undefined) await this.#post(exchange, body);
    else if (this.#listener === undefined || isResumed(exchange)) this.#listen(exchange);
    else sendRpcError(exchange, 409, -32000, 'Conflict: this session has a stream already');
  }

  async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      const { id } = message;
      if (id === undefined) return;
      this.#answers.get(id)?.respond(id, message);
      this.#answers.delete(id);
      return;
    }
    const related = options?.relatedRequestId;
    if (related === undefined) this.#listener?.write({ sse: messageFrame(message, this.#options.listsId()) });
    else this.#answers.get(related)?.send(message);
  }

  /** Whether a request is open. */
  get isBusy(): boolean {
    return this.#answers.size > 0;
  }

  /** The answer to an open request; undefined for one that is answered, or was left. */
  answerTo(id: RequestId): PostAnswer | undefined {
    return this.#answers.get(id);
  }

  /** The answer to a request goes out without a result; what is still said to it is dropped. */
  leave(id: RequestId): void {
    this.#answers.get(id)?.leave();
    this.#answers.delete(id);
  }

  async close(): Promise<void> {
    for (const answer of this.#answers.values()) answer.leave();
    this.#answers.clear();
    this.#listener?.end('complete');
    this.#listener = undefined;
    this.onclose?.();
  }

  async #post(exchange: ServerExchange, body: JsonValue): Promise<void> {
    const messages = messagesOf(body);
    if (typeof messages === 'string') return sendRpcError(exchange, 400, -32600, messages);
    const requests = messages.filter(isJSONRPCRequest);
    if (messages.some(isInitializeRequest)) {
      if (this.#isInitialized || messages.length > 1)
        return sendRpcError(exchange, 400, -32600, 'Invalid Request: the session is initialized already');
      this.#isInitialized = true;
    }
    if (requests.some(({ id }) => this.#answers.has(id)))
      return sendRpcError(exchange, 400, -32600, 'Invalid Request: a request of this id is still open');
    if (requests.length > 0) this.#expect(exchange, requests, Array.isArray(body));
    for (const message of messages) await this.#take(exchange, message);
    if (requests.length === 0) exchange.sendEmpty(202);
  }

  #expect(exchange: ServerExchange, requests: readonly { id: RequestId }[], isBatch: boolean): void {
    const answer = new PostAnswer({
      exchange,
      open: requests.map(({ id }) => id),
      isBatch,
      headers: ['Mcp-Session-Id', this.sessionId],
      isPrimed: isPrimed(exchange),
      timers: this.#options.deps.timers,
    });
    for (const { id } of requests) this.#answers.set(id, answer);
  }

  async #take(exchange: ServerExchange, message: JSONRPCMessage): Promise<void> {
    const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    if (isAnswer && (await this.#options.takeAnswer(exchange, message))) return;
    const authInfo = { token: '', clientId: '', scopes: [], extra: { exchange } };
    this.onmessage?.(message, { authInfo });
  }

  /**
   * What belongs to no request: lists that change. A client that missed a change is notified at once; one that resumes has lost
   * the stream it had, whether or not that was noticed here.
   */
  #listen(exchange: ServerExchange): void {
    this.#listener?.end('complete');
    const last = exchange.headers['last-event-id'];
    const stream = exchange.openStream({
      isResumed: true,
      headers: ['Mcp-Session-Id', this.sessionId],
      failureFrame: () => '',
    });
    this.#listener = stream;
    stream.onClose(() => {
      if (this.#listener === stream) this.#listener = undefined;
    });
    stream.attach({ cursor: () => '', close: () => undefined });
    const now = this.#options.listsId();
    const hasMissed = isResumed(exchange) && last !== now;
    if (hasMissed) stream.write({ sse: messageFrame(TOOLS_CHANGED, now) });
    else if (isPrimed(exchange)) stream.write({ sse: Buffer.from(`id: ${now}\ndata: \n\n`) });
  }
}

const TOOLS_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

/** The messages of a body; a text that says what is wrong with it. */
function messagesOf(body: JsonValue): JSONRPCMessage[] | string {
  const given = Array.isArray(body) ? body : [body];
  if (given.length === 0 || given.length > MAX_BATCH)
    return `Invalid Request: a batch has 1 to ${MAX_BATCH} messages`;
  const read = given.map((message) => JSONRPCMessageSchema.safeParse(message));
  const messages = read.flatMap(({ data }) => (data === undefined ? [] : [data]));
  return messages.length === given.length ? messages : 'Invalid Request: send JSON-RPC 2.0 messages';
}

function isPrimed({ headers }: ServerExchange): boolean {
  return String(headers['mcp-protocol-version'] ?? '') >= PRIMED_SINCE;
}

/** Whether a GET goes on with the stream of lists that it had. */
function isResumed({ headers }: ServerExchange): boolean {
  const last = headers['last-event-id'];
  return typeof last === 'string' && isListsId(last);
}

const EVENTS = /text\/event-stream|text\/\*|\*\/\*/;
const JSON_TYPE = /application\/json|application\/\*|\*\/\*/;

function headerFault(
  { headers }: ServerExchange,
  isPost: boolean,
): { status: number; message: string } | undefined {
  const accept = headers.accept ?? '';
  if (!EVENTS.test(accept) || (isPost && !JSON_TYPE.test(accept))) {
    const types = isPost ? 'application/json and text/event-stream' : 'text/event-stream';
    return { status: 406, message: `Not Acceptable: Accept must name ${types}` };
  }
  if (isPost && !/^application\/json\b/i.test(headers['content-type'] ?? ''))
    return { status: 415, message: 'Unsupported Media Type: Content-Type must be application/json' };
  const revision = headers['mcp-protocol-version'];
  if (revision !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(revision))) {
    const spoken = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
    return { status: 400, message: `Bad Request: Unsupported protocol version (supported: ${spoken})` };
  }
  return undefined;
}
