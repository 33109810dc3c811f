import { setTimeout as pause } from 'node:timers/promises';
import { unreachable } from './unreachable.ts';

/** What a relay needs of the outside. */
export interface RelayPorts {
  /** Where the gateway is, and the key for it; asked for each request. */
  find(): Promise<{ url: string; key: string }>;
  /** Writes one message to the client. */
  write(message: object): void;
}

interface RpcMessage {
  jsonrpc?: string;
  id?: string | number | null;
  method?: string;
  params?: {
    _meta?: Record<string, unknown>;
    name?: unknown;
    uri?: unknown;
    taskId?: unknown;
    requestId?: unknown;
  };
  result?: { protocolVersion?: unknown };
  error?: { message?: string };
}

const MODERN_VERSION = 'io.modelcontextprotocol/protocolVersion';
const REQUEST_FAILED = -32603;
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
/** Of a session that the gateway, or the node of it that is asked now, does not know: nothing was carried out. */
const UNKNOWN_SESSION = 404;
/** How long an answer whose stream broke is asked for: a gateway starts again, or another node takes over. */
const RESUME_MS = 30_000;
const RETRY_MS = 500;
/** Members of the parameters that a request of the stateless revision repeats in a header. */
const NAMED_BY = ['name', 'uri', 'taskId'] as const;

/**
 * Carries MCP messages between a client on standard streams and `/mcp` of a gateway, in either era: what comes back on a
 * response stream is written as it comes. A gateway that goes away and comes back costs no session: it is begun anew with what the
 * client said, and answers that were under way are asked for by their cursor. It knows the wire, not the protocol.
 */
export class RpcRelay {
  readonly #ports: RelayPorts;
  readonly #open = new Map<string | number, AbortController>();
  #session: Record<string, string> = {};
  /** With which the client began the session; undefined in the stateless era. */
  #initialize: string | undefined;
  #renewing: Promise<void> | undefined;

  constructor(ports: RelayPorts) {
    this.#ports = ports;
  }

  /** Sends one line of the client; resolves when its answer has been written. */
  async send(line: string): Promise<void> {
    const message = JSON.parse(line) as RpcMessage;
    const { id, method, params } = message;
    const cancels = method === 'notifications/cancelled' ? params?.requestId : undefined;
    if (isId(cancels) && this.#session['mcp-session-id'] === undefined)
      return this.#open.get(cancels)?.abort();
    const stopper = new AbortController();
    const isRequest = isId(id) && method !== undefined;
    if (isRequest) this.#open.set(id, stopper);
    try {
      await this.#post(line, message, stopper.signal);
      if (method === 'notifications/initialized') void this.#listen();
    } catch (error) {
      if (isRequest && !stopper.signal.aborted) this.#ports.write(failure(id, error));
    } finally {
      if (isRequest) this.#open.delete(id);
    }
  }

  /** Gives the session back. */
  async close(): Promise<void> {
    for (const stopper of this.#open.values()) stopper.abort();
    if (this.#session['mcp-session-id'] === undefined) return;
    const { url, key } = await this.#ports.find();
    const headers = { authorization: `Bearer ${key}`, ...this.#session };
    await fetch(`${url}/mcp`, { method: 'DELETE', headers }).catch(() => undefined);
  }

  async #post(line: string, message: RpcMessage, signal: AbortSignal): Promise<void> {
    if (message.method === 'initialize') this.#initialize = line;
    const session = this.#session['mcp-session-id'];
    let response = await this.#fetch(line, message, signal);
    if (response.status === UNKNOWN_SESSION && session !== undefined && this.#initialize !== undefined) {
      await response.body?.cancel();
      await this.#renew(session);
      response = await this.#fetch(line, message, signal);
    }
    this.#keepSession(response);
    const { isAnswered, cursor } = await this.#read(response, message);
    if (isId(message.id) && message.method !== undefined && !isAnswered)
      await this.#resume(message, cursor, signal);
  }

  async #fetch(line: string, message: RpcMessage, signal: AbortSignal): Promise<Response> {
    const { url, key } = await this.#ports.find();
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...this.#session,
      ...modernHeaders(message),
    };
    return fetch(`${url}/mcp`, { method: 'POST', headers, body: line, signal }).catch((error: unknown) =>
      Promise.reject(unreachable(url, error)),
    );
  }

  #keepSession({ headers }: Response): void {
    const session = headers.get('mcp-session-id');
    if (session !== null) this.#session['mcp-session-id'] = session;
  }

  /** Begins the session anew, once for all that found it gone. What the gateway says of itself is not told twice. */
  #renew(gone: string): Promise<void> {
    if (this.#renewing === undefined && this.#session['mcp-session-id'] !== gone) return Promise.resolve();
    this.#renewing ??= this.#beginAnew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #beginAnew(): Promise<void> {
    this.#session = {};
    const never = new AbortController().signal;
    const begun = await this.#fetch(this.#initialize ?? '', { method: 'initialize' }, never);
    this.#keepSession(begun);
    for await (const { data } of answersOf(begun))
      if (data !== '') this.#keepVersion(JSON.parse(data) as RpcMessage);
    const told = await this.#fetch(INITIALIZED, {}, never);
    await told.body?.cancel();
    void this.#listen();
  }

  /** What the gateway says on its own account. */
  async #listen(): Promise<void> {
    this.#open.get('listen')?.abort();
    const stopper = new AbortController();
    this.#open.set('listen', stopper);
    const response = await this.#get({}, stopper.signal).catch(() => undefined);
    if (response?.ok) await this.#read(response, {}).catch(() => undefined);
  }

  async #get(more: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const { url, key } = await this.#ports.find();
    const headers = {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      ...this.#session,
      ...more,
    };
    return fetch(`${url}/mcp`, { headers, signal });
  }

  /** Asks for the rest of an answer whose stream ended before it. Rejects where that may not be had. */
  async #resume(message: RpcMessage, cursor: string | undefined, signal: AbortSignal): Promise<void> {
    const broken = new Error(
      'the connection broke before the answer, so the request may have been carried out; look before you send it again',
    );
    let from = cursor;
    if (from === undefined) throw broken;
    for (const until = performance.now() + RESUME_MS; performance.now() < until; ) {
      const response = await this.#get({ 'last-event-id': from }, signal).catch(() => undefined);
      if (response?.ok) {
        const read = await this.#read(response, message);
        if (read.isAnswered) return;
        from = read.cursor ?? from;
      } else await response?.body?.cancel();
      if (response?.status === UNKNOWN_SESSION) throw broken;
      await pause(RETRY_MS, undefined, { signal });
    }
    throw broken;
  }

  /** Writes what comes. `cursor`: of the newest event that has one. A connection that breaks is the end of it. */
  async #read(response: Response, asked: RpcMessage): Promise<{ isAnswered: boolean; cursor?: string }> {
    let isAnswered = false;
    let cursor: string | undefined;
    try {
      for await (const { id, data } of answersOf(response)) {
        cursor = id ?? cursor;
        if (data !== '' && this.#take(data, asked)) isAnswered = true;
      }
    } catch (error) {
      if (cursor === undefined) throw error;
    }
    return { isAnswered, ...(cursor !== undefined && { cursor }) };
  }

  /** Whether it is the answer to what was asked. */
  #take(text: string, asked: RpcMessage): boolean {
    const answer = JSON.parse(text) as RpcMessage;
    if (asked.method === 'initialize') this.#keepVersion(answer);
    // Refused before it came to MCP: by a node that hands on, or at the edge.
    if (answer.jsonrpc === undefined && isId(asked.id)) {
      this.#ports.write(failure(asked.id, new Error(answer.error?.message ?? text)));
      return true;
    }
    // A refusal before the message was read names no request.
    const own = answer.id === null && isId(asked.id) ? { ...answer, id: asked.id } : answer;
    this.#ports.write(own);
    return own.method === undefined && isId(own.id) && own.id === asked.id;
  }

  #keepVersion({ result }: RpcMessage): void {
    const { protocolVersion } = result ?? {};
    if (typeof protocolVersion === 'string') this.#session['mcp-protocol-version'] = protocolVersion;
  }
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || typeof id === 'number';
}

/** Spec: MCP 2026-07-28, "Standard headers". */
function modernHeaders({ method, params }: RpcMessage): Record<string, string> {
  const version = params?._meta?.[MODERN_VERSION];
  if (typeof version !== 'string' || method === undefined) return {};
  const name = NAMED_BY.map((member) => params?.[member]).find((value) => typeof value === 'string');
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  };
}

function headerText(text: string): string {
  if (/^[!-~]+( [!-~]+)*$/.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** The messages of a response, whichever form it has. */
async function* answersOf(response: Response): AsyncGenerator<{ id?: string; data: string }> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream') && response.body) yield* eventsOf(response.body);
  else yield { data: await response.text() };
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<{ id?: string; data: string }> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split(/\r?\n/);
      const field = (name: string) =>
        lines
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).trimStart());
      const [id] = field('id');
      yield { data: field('data').join('\n'), ...(id !== undefined && { id }) };
    }
  }
}

function failure(id: string | number, error: unknown): object {
  const why = error instanceof Error ? error.message : 'unknown reason';
  const message = `The gateway could not be asked: ${why}`;
  return { jsonrpc: '2.0', id, error: { code: REQUEST_FAILED, message } };
}
