import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import type { FaceDeps, FaceExchange } from '#face.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { resultForSession } from '../../../mappings/mcp/eras.ts';
import { LOG_LEVELS, type LogLevel, logLevelOf } from '../../../mappings/mcp/log-levels.ts';
import { objectOf } from '../object-of.ts';
import { CallLog } from './call-log.ts';
import { progressNotification } from './call-progress.ts';
import { FaceTransport } from './face-transport.ts';
import { refusedCall, rpcError } from './faults.ts';
import { INSTRUCTIONS, SERVER_NAME } from './methods.ts';
import { askedBy, askOf, elicitationOf, findTool, finishCall, type Question, respond } from './requests.ts';
import { listResources, readResource, resourceTemplates } from './resources.ts';
import { callId, placeOf } from './resume-id.ts';
import { resumeCall, waysOfAsking } from './resumed-call.ts';
import { SESSION_ID_BYTES } from './session-table.ts';
import { submitCall } from './submit-call.ts';
import { listTools } from './tool-pages.ts';

/** The part of the SDK's `extra` that a handler uses. */
interface Extra {
  signal: AbortSignal;
  requestId: RequestId;
  authInfo?: { extra?: Record<string, unknown> };
}

export interface LegacySessionOptions {
  actor: string;
  /** Id of an event that tells of the lists as they are now. */
  listsId(): string;
  onClosed(id: string): void;
}

/**
 * One MCP session of the revisions with sessions (2025-11-25 and older), bound to the actor that opened it. Each request
 * is made with the credential it came with.
 */
export class LegacySession {
  readonly id: string;
  readonly actor: string;
  readonly #deps: FaceDeps;
  readonly #server: Server;
  readonly #transport: FaceTransport;
  readonly #onClosed: (id: string) => void;
  /** Who waits for the answer to a question, by its permission request. */
  readonly #asked = new Map<string, () => void>();
  #usedAt: number;
  /** Lines of servers that the client wants; all of them until it says. */
  #logLevel: LogLevel = LOG_LEVELS[0];
  /** The gateway ends the session: what its client called goes on. */
  #isLeaving = false;

  constructor(deps: FaceDeps, { actor, listsId, onClosed }: LegacySessionOptions) {
    this.#deps = deps;
    this.#onClosed = onClosed;
    this.actor = actor;
    this.id = Buffer.from(deps.random.bytes(SESSION_ID_BYTES)).toString('hex');
    this.#usedAt = deps.clock.monotonic();
    this.#transport = new FaceTransport({
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
  async handle(exchange: FaceExchange, method: string, body: JsonValue | undefined): Promise<void> {
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
    const exchange = extra.authInfo?.extra?.['exchange'] as FaceExchange;
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
      throw rpcError(error, exchange.requestId);
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

  async #call(exchange: FaceExchange, params: JsonObject, extra: Extra): Promise<JsonObject> {
    const { requestId } = extra;
    const token = objectOf(params['_meta'])['progressToken'];
    const progressToken = typeof token === 'string' || typeof token === 'number' ? token : null;
    const asks = waysOfAsking(this.#server.getClientCapabilities()?.elicitation);
    const placeAfter = (after: string) => callId({ taskId, requestId, progressToken, after, asks });
    let taskId = '';
    const answer = this.#transport.answerTo(requestId);
    const progress = (told: JsonObject, after: string) => {
      if (progressToken !== null) answer?.tell(progressNotification(progressToken, told), placeAfter(after));
    };
    const log = new CallLog(this.#deps, exchange, this.#logLevel, (line, after) =>
      answer?.tell(line, placeAfter(after)),
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
    this.#transport.answerTo(requestId)?.tell(askOf(question, params));
    return answered;
  }

  /** Whoever of the actor's connections answers: what the answer is for stands in its id. */
  async #takeAnswer(exchange: FaceExchange, message: JSONRPCMessage): Promise<boolean> {
    const answered = await takeAnswer(this.#deps, exchange, message);
    if (answered === undefined) return false;
    this.#asked.get(answered)?.();
    this.#asked.delete(answered);
    return true;
  }
}

/** Gives the answer of a client to the question it is for, and says which; undefined when it is for none. */
export async function takeAnswer(
  deps: FaceDeps,
  exchange: FaceExchange,
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
