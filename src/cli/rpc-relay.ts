import { unreachable } from './unreachable.ts';

/** What a relay needs of the outside. */
export interface RelayPorts {
  /** Where the gateway is, and the key for it; asked for each request. */
  find(): Promise<{ url: string; key: string }>;
  /** Writes one message to the client. */
  write(message: object): void;
}

interface RpcMessage {
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
}

const MODERN_VERSION = 'io.modelcontextprotocol/protocolVersion';
const REQUEST_FAILED = -32603;
/** Members of the parameters that a request of the stateless revision repeats in a header. */
const NAMED_BY = ['name', 'uri', 'taskId'] as const;

/**
 * Carries MCP messages between a client on standard streams and `/mcp` of a gateway, in either era: what comes back on a
 * response stream is written as it comes. It knows the wire, not the protocol.
 */
export class RpcRelay {
  readonly #ports: RelayPorts;
  readonly #open = new Map<string | number, AbortController>();
  #session: Record<string, string> = {};

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
    const { url, key } = await this.#ports.find();
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...this.#session,
      ...modernHeaders(message),
    };
    const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: line, signal }).catch(
      (error: unknown) => Promise.reject(unreachable(url, error)),
    );
    const session = response.headers.get('mcp-session-id');
    if (session !== null) this.#session['mcp-session-id'] = session;
    await this.#read(response, message);
  }

  /** What the gateway says on its own account. */
  async #listen(): Promise<void> {
    const { url, key } = await this.#ports.find();
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...this.#session };
    const stopper = new AbortController();
    this.#open.set('listen', stopper);
    const response = await fetch(`${url}/mcp`, { headers, signal: stopper.signal }).catch(() => undefined);
    if (response?.ok) await this.#read(response, {}).catch(() => undefined);
  }

  async #read(response: Response, asked: RpcMessage): Promise<void> {
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream') && response.body) {
      for await (const data of eventData(response.body)) this.#take(data, asked);
      return;
    }
    const text = await response.text();
    if (text !== '') this.#take(text, asked);
  }

  #take(text: string, asked: RpcMessage): void {
    const answer = JSON.parse(text) as RpcMessage;
    const { protocolVersion } = answer.result ?? {};
    if (asked.method === 'initialize' && typeof protocolVersion === 'string')
      this.#session['mcp-protocol-version'] = protocolVersion;
    // A refusal before the message was read names no request.
    this.#ports.write(answer.id === null && isId(asked.id) ? { ...answer, id: asked.id } : answer);
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

async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
      const data = lines.map((line) => line.slice('data:'.length).trimStart()).join('\n');
      if (data !== '') yield data;
    }
  }
}

function failure(id: string | number, error: unknown): object {
  const why = error instanceof Error ? error.message : 'unknown reason';
  const message = `The gateway could not be asked: ${why}`;
  return { jsonrpc: '2.0', id, error: { code: REQUEST_FAILED, message } };
}
