import { randomUUID } from 'node:crypto';
import type { Refusal } from './connection.ts';
import { type Line, type Message, readLine } from './message.ts';

const AUTH_REQUIRED = -32000;
const INTERNAL_ERROR = -32603;
/** Ids of the relay's own requests; an editor counts, or uses UUIDs. */
const OWN = 'harn-launcher-';

/** The two sides of a relay. */
interface RelaySides {
  /** Writes one line to the editor. */
  toEditor(text: string): void;
  /** Writes one message to the gateway; false when it is not connected. */
  toGateway(text: string): boolean;
  /** A request of the editor with ids in place of the MCP servers that run here. */
  announced(message: Message): Message;
  /** What users of every session should know of the gateway; undefined where there is nothing. */
  remark?(): { title: string; description: string } | undefined;
  /** Whether a message of the gateway is for one of those servers, and not for the editor. */
  takes(message: Message): boolean;
}

/**
 * What an editor and a gateway say to each other, over as many connections as it takes. Requests that are not answered yet
 * are asked again after a reconnection, prompts under the key of their first sending, so that nothing is done twice; sessions
 * are resumed behind the last update that the editor has seen, so that none is lost and none comes twice.
 */
export class Relay {
  readonly #sides: RelaySides;
  readonly #clientId = randomUUID();
  /** Requests of the editor without an answer, in order. */
  readonly #open = new Map<string, Line>();
  /** Prompts among them that were sent to a gateway. */
  readonly #sent = new Set<string>();
  /** Notifications that came while there was no connection, in order. */
  readonly #held: string[] = [];
  /** Sessions that the editor follows, and the newest event that it got. */
  readonly #sessions = new Map<string, string | undefined>();
  /** MCP servers of a session, as they were announced. */
  readonly #servers = new Map<string, unknown>();
  /** Requests of the gateway that the editor has not answered: ids of this connection. */
  readonly #asked = new Set<string>();
  readonly #limit = new SizeLimit();
  /** Sessions that got the remark. */
  readonly #remarked = new Set<string>();
  #initialize: Line | undefined;
  /** The editor shows notices. */
  #showsNotices = false;
  /** What everybody is answered until there is a connection. */
  #mistake: { code: number; message: string } | undefined;
  #generation = 0;
  #isReady = false;
  #own = new Map<string, (answer: Message) => void>();

  constructor(sides: RelaySides) {
    this.#sides = sides;
  }

  /** Takes a line of the editor. */
  fromEditor(text: string): void {
    const line = readLine(text);
    const { message } = line;
    if (message?.method === undefined && message?.id !== undefined) this.#answerOfEditor(line);
    else this.#forward(line);
  }

  #forward(line: Line): void {
    const { message } = line;
    const marked = this.#marked(line);
    if (message?.method === 'initialize') this.#initialize = marked;
    if (message?.id !== undefined && this.#mistake !== undefined) {
      this.#sides.toEditor(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: this.#mistake }));
      return;
    }
    if (message?.id !== undefined) this.#open.set(String(message.id), marked);
    // The first request goes as it is; everything else waits until the connection is set up.
    if (this.#isReady || message?.method === 'initialize') this.#send(marked);
    else if (message?.id === undefined) this.#held.push(marked.text);
  }

  #send({ text, message }: Line): void {
    if (!this.#limit.admits(text)) {
      this.#refuse(message);
      return;
    }
    const isSent = this.#sides.toGateway(text);
    if (isSent && message?.method === 'session/prompt') this.#sent.add(String(message.id));
  }

  /**
   * The gateway would close the connection because of it, each time. A notification is dropped, because nobody waits for an
   * answer.
   */
  #refuse(message: Message | undefined): void {
    process.stderr.write('harn-gateway acp: a message of the editor is too large for the gateway\n');
    if (message?.id === undefined) return;
    this.#open.delete(String(message.id));
    this.#sides.toEditor(this.#limit.refusal(message.id));
  }

  /** Takes a message of the gateway. */
  fromGateway(text: string): void {
    const line = readLine(text);
    const { message } = line;
    if (message === undefined || this.#sides.takes(message)) return;
    if (message.method === undefined) this.#answerOfGateway(line, message);
    else if (message.id === undefined) this.#note(line, message);
    else this.#ask(message);
  }

  #answerOfGateway({ text }: Line, message: Message): void {
    const id = String(message.id);
    const own = this.#own.get(id);
    if (own === undefined) {
      const begun = this.#settle(id, message);
      this.#sides.toEditor(text);
      if (begun !== undefined) this.#remark(begun);
    } else {
      this.#own.delete(id);
      own(message);
    }
  }

  /** A connection is open: introduces the editor, takes its sessions up again, and asks again what is open. */
  async connected(): Promise<void> {
    this.#generation += 1;
    this.#mistake = undefined;
    const first = this.#initialize;
    if (first?.message === undefined || this.#open.has(String(first.message.id))) {
      this.#begin([...this.#open.values()]);
      return;
    }
    const { result } = await this.#request('initialize', first.message.params ?? {});
    this.#limit.learn(result);
    for (const [sessionId, cursor] of this.#sessions) await this.#resume(sessionId, cursor);
    this.#begin([...this.#open.values()].map((line) => this.#again(line)));
  }

  /** A cancel that came meanwhile follows the prompt that it is for. */
  #begin(lines: readonly Line[]): void {
    this.#isReady = true;
    for (const line of lines) this.#send(line);
    for (const text of this.#held.splice(0)) this.#send(readLine(text));
  }

  /** The connection ended. Requests that the gateway sent on it are void; it sends them again. */
  disconnected(): void {
    this.#isReady = false;
    this.#own = new Map();
    for (const id of this.#asked) {
      const params = { requestId: id };
      this.#sides.toEditor(JSON.stringify({ jsonrpc: '2.0', method: '$/cancel_request', params }));
    }
    this.#asked.clear();
  }

  /**
   * No gateway can be reached. Waiting requests get an error, and can be sent again. After a mistake in the configuration, later
   * requests get the error at once. A prompt that a gateway has taken goes on there: its answer comes when the gateway is back,
   * and no editor limits the time.
   */
  refuse(reason: Refusal, words: string): void {
    const error = { code: reason === 'unauthenticated' ? AUTH_REQUIRED : INTERNAL_ERROR, message: words };
    if (reason === 'misconfigured') this.#mistake = error;
    for (const [id, { message }] of this.#open) {
      if (reason !== 'unauthenticated' && this.#sent.has(id)) continue;
      this.#sides.toEditor(JSON.stringify({ jsonrpc: '2.0', id: message?.id ?? null, error }));
      this.#open.delete(id);
    }
  }

  /** The gateway recognises the client by its id, and a repeated prompt or new session by its key. */
  #marked(line: Line): Line {
    const { message } = line;
    if (message?.method === 'initialize') return withHarn(message, { clientId: this.#clientId });
    if (message === undefined) return line;
    const announced = this.#sides.announced(message);
    if (message.method === 'session/prompt' || message.method === 'session/new')
      return withHarn(announced, { idempotencyKey: `acp:${this.#clientId}:${message.id}` });
    return announced === message ? line : { text: JSON.stringify(announced), message: announced };
  }

  /** A session that was being loaded goes on behind what the editor has seen of it. */
  #again(line: Line): Line {
    const { message } = line;
    const sessionId = String(message?.params?.['sessionId'] ?? '');
    const cursor = this.#sessions.get(sessionId);
    if (message?.method !== 'session/load' || cursor === undefined) return line;
    return withHarn({ ...message, method: 'session/resume' }, { afterEventId: cursor });
  }

  #answerOfEditor({ message }: Line): void {
    const [generation, ...rest] = String(message?.id).split(':');
    this.#asked.delete(String(message?.id));
    // An answer to a question of an earlier connection has nobody to go to.
    if (generation !== String(this.#generation)) return;
    const id = Number(rest.join(':'));
    const text = JSON.stringify({ ...message, id });
    this.#sides.toGateway(this.#limit.admits(text) ? text : this.#limit.apology(id));
  }

  /** Ids of the gateway begin anew with each connection, so the connection is made part of them. */
  #ask(message: Message): void {
    const id = `${this.#generation}:${message.id}`;
    this.#asked.add(id);
    this.#sides.toEditor(JSON.stringify({ ...message, id }));
  }

  #note({ text }: Line, message: Message): void {
    const { method, params } = message;
    if (method === '$/cancel_request') {
      const requestId = `${this.#generation}:${params?.['requestId']}`;
      this.#asked.delete(requestId);
      this.#sides.toEditor(JSON.stringify({ ...message, params: { requestId } }));
      return;
    }
    const cursor = cursorOf(params?.['update']);
    if (cursor !== undefined) this.#sessions.set(String(params?.['sessionId']), cursor);
    this.#sides.toEditor(text);
  }

  /** The session that an answer begins, or takes up; undefined for every other answer. */
  #settle(id: string, { result }: Message): string | undefined {
    const request = this.#open.get(id)?.message;
    this.#open.delete(id);
    this.#sent.delete(id);
    if (request === undefined || result === undefined) return undefined;
    const sessionId = String(result?.['sessionId'] ?? request.params?.['sessionId'] ?? '');
    const { method } = request;
    if (method === 'initialize') {
      this.#limit.learn(result);
      this.#showsNotices = showsNotices(request.params, result);
    }
    if (method === 'session/close' || method === 'session/delete') this.#sessions.delete(sessionId);
    const begins = method === 'session/new' || method === 'session/load' || method === 'session/resume';
    if (!begins) return undefined;
    if (!this.#sessions.has(sessionId)) this.#sessions.set(sessionId, cursorOf(result));
    this.#servers.set(sessionId, harnOf(request.params)['mcpServers']);
    return sessionId;
  }

  /** Sent once in each session; an editor that shows no notices reads it among the thoughts. */
  #remark(sessionId: string): void {
    const remark = this.#sides.remark?.();
    if (remark === undefined || this.#remarked.has(sessionId)) return;
    this.#remarked.add(sessionId);
    const content = { type: 'text', text: `${remark.title}: ${remark.description}` };
    const update = this.#showsNotices
      ? { sessionUpdate: 'notice', severity: 'warning', ...remark }
      : { sessionUpdate: 'agent_thought_chunk', content };
    const params = { sessionId, update };
    this.#sides.toEditor(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params }));
  }

  async #resume(sessionId: string, cursor: string | undefined): Promise<void> {
    const mcpServers = this.#servers.get(sessionId);
    const _meta = {
      harn: {
        ...(cursor === undefined ? {} : { afterEventId: cursor }),
        ...(mcpServers === undefined ? {} : { mcpServers }),
      },
    };
    const answer = await this.#request('session/resume', { sessionId, mcpServers: [], _meta });
    if (answer.error === undefined) return;
    if (cursor !== undefined && isExpired(answer.error)) {
      this.#showGap(sessionId);
      return this.#resume(sessionId, undefined);
    }
    process.stderr.write(`harn-gateway acp: session ${sessionId} was not taken up again\n`);
    this.#sessions.delete(sessionId);
  }

  /** The gateway keeps its history for a while; what was recorded meanwhile and is gone is missing, and that is said. */
  #showGap(sessionId: string): void {
    const content = {
      type: 'text',
      text: 'Updates of this session were missed. Load it to see what is kept.',
    };
    const params = { sessionId, update: { sessionUpdate: 'agent_thought_chunk', content } };
    this.#sides.toEditor(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params }));
    this.#sessions.set(sessionId, undefined);
  }

  #request(method: string, params: object): Promise<Message> {
    const id = `${OWN}${this.#generation}-${this.#own.size}-${method}`;
    return new Promise((resolve) => {
      this.#own.set(id, resolve);
      this.#sides.toGateway(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }
}

function withHarn(message: Message, harn: Record<string, string>): Line {
  const meta = (message.params?.['_meta'] ?? {}) as Record<string, unknown>;
  const params = {
    ...message.params,
    _meta: { ...meta, harn: { ...harn, ...harnOf(message.params) } },
  };
  const marked = { ...message, params };
  return { text: JSON.stringify(marked), message: marked };
}

function harnOf(params: Message['params']): Record<string, unknown> {
  const { harn } = (params?.['_meta'] ?? {}) as { harn?: Record<string, unknown> | null };
  return harn ?? {};
}

/** Every client of the draft version 2 does. Spec: ACP v1, `clientCapabilities.session.notices`. */
function showsNotices(params: Message['params'], result: Message['result']): boolean {
  const { session } = (params?.['clientCapabilities'] ?? {}) as { session?: { notices?: unknown } | null };
  return result?.['protocolVersion'] === 2 || Object(session?.notices) === session?.notices;
}

function isExpired(error: unknown): boolean {
  const { data } = (error ?? {}) as { data?: { harn?: { code?: unknown } } | null };
  return data?.harn?.code === 'cursor_expired';
}

function cursorOf(value: unknown): string | undefined {
  const { _meta } = (value ?? {}) as { _meta?: { harn?: { eventId?: unknown } } | null };
  const eventId = _meta?.harn?.eventId;
  return typeof eventId === 'string' ? eventId : undefined;
}

const INVALID_PARAMS = -32602;

/** The largest message that a gateway takes, as it says when it is introduced to an editor. One above it would end the connection. */
class SizeLimit {
  #maxBytes = Number.POSITIVE_INFINITY;

  /** Takes note of an answer to `initialize`, of the draft version too. */
  learn(result: Message['result']): void {
    const capabilities = memberOf(result, 'agentCapabilities') ?? memberOf(result, 'capabilities');
    const maxBytes = memberOf(memberOf(capabilities, '_meta'), 'harn')?.['maxMessageBytes'];
    if (typeof maxBytes === 'number') this.#maxBytes = maxBytes;
  }

  admits(text: string): boolean {
    return Buffer.byteLength(text) <= this.#maxBytes;
  }

  /** What an editor is answered in place of the gateway. */
  refusal(id: Message['id']): string {
    const harn = { code: 'payload_too_large', type: 'request_error' };
    const message = `The message has more than ${this.#maxBytes} bytes. Send less, or attach less to it.`;
    return JSON.stringify({
      jsonrpc: '2.0',
      id: id ?? null,
      error: { code: INVALID_PARAMS, message, data: { harn } },
    });
  }

  /** What the gateway gets in place of an answer of the editor. */
  apology(id: number): string {
    const message = `The answer of the editor has more than ${this.#maxBytes} bytes.`;
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } });
  }
}

function memberOf(value: unknown, name: string): Record<string, unknown> | undefined {
  const member = (value as Record<string, unknown> | null | undefined)?.[name];
  return typeof member === 'object' && member !== null ? (member as Record<string, unknown>) : undefined;
}
