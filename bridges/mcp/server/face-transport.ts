import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type MessageExtraInfo,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { FaceDeps, FaceExchange, FaceStream } from '#face.ts';
import type { JsonValue } from '#protocol/json.ts';
import { sendRpcError } from './faults.ts';
import { messageFrame, PostAnswer } from './post-answer.ts';
import { isListsId } from './resume-id.ts';

/** Messages of one batch (2025-03-26). */
const MAX_BATCH = 100;
/** The first revision whose clients read an event without a message. */
const PRIMED_SINCE = '2025-11-25';

export interface FaceTransportOptions {
  deps: Pick<FaceDeps, 'timers'>;
  sessionId: string;
  /** Id of an event that tells of the lists as they are now. */
  listsId(): string;
  /** Takes the answer to a question of ours; false when it is none. */
  takeAnswer(exchange: FaceExchange, message: JSONRPCMessage): Promise<boolean>;
}

/** Streamable HTTP of one session: every POST is answered by itself. Spec: MCP 2025-11-25, "Transports". */
export class FaceTransport implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly sessionId: string;
  readonly #options: FaceTransportOptions;
  readonly #answers = new Map<RequestId, PostAnswer>();
  #listener: FaceStream | undefined;
  #isInitialized = false;

  constructor(options: FaceTransportOptions) {
    this.#options = options;
    this.sessionId = options.sessionId;
  }

  async start(): Promise<void> {}

  /** Handles a POST, with its body, or a GET. */
  async handle(exchange: FaceExchange, body: JsonValue | undefined): Promise<void> {
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
    else this.#answers.get(related)?.tell(message);
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

  async #post(exchange: FaceExchange, body: JsonValue): Promise<void> {
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

  #expect(exchange: FaceExchange, requests: readonly { id: RequestId }[], isBatch: boolean): void {
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

  async #take(exchange: FaceExchange, message: JSONRPCMessage): Promise<void> {
    const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    if (isAnswer && (await this.#options.takeAnswer(exchange, message))) return;
    const authInfo = { token: '', clientId: '', scopes: [], extra: { exchange } };
    this.onmessage?.(message, { authInfo });
  }

  /**
   * What belongs to no request: lists that change. A client that missed a change is told at once; one that resumes has lost
   * the stream it had, whether or not that was noticed here.
   */
  #listen(exchange: FaceExchange): void {
    this.#listener?.end('complete');
    const last = exchange.headers['last-event-id'];
    const stream = exchange.openStream({
      isResumed: true,
      headers: ['Mcp-Session-Id', this.sessionId],
      tell: () => '',
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

function isPrimed({ headers }: FaceExchange): boolean {
  return String(headers['mcp-protocol-version'] ?? '') >= PRIMED_SINCE;
}

/** Whether a GET goes on with the stream of lists that it had. */
function isResumed({ headers }: FaceExchange): boolean {
  const last = headers['last-event-id'];
  return typeof last === 'string' && isListsId(last);
}

const EVENTS = /text\/event-stream|text\/\*|\*\/\*/;
const JSON_TYPE = /application\/json|application\/\*|\*\/\*/;

function headerFault(
  { headers }: FaceExchange,
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
