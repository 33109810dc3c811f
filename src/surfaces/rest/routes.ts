import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Middleware } from 'koa';
import Router from 'koa-router';
import type { Answer, AnswerBody, CallHead, Gateway } from '#gateway.ts';
import type { JsonReader } from '#json/json-reader.ts';
import type { Spool } from '#protocol/bytes.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { VERSION_HEADER } from '#protocol/versions.ts';
import {
  type CommandId,
  type DocumentId,
  type IdsOfKind,
  OPERATIONS,
  type OperationId,
  operation,
  type QueryId,
  type StreamId,
} from '#resources/operations.ts';
import {
  cutAnswer,
  JSON_TYPE,
  readSpooled,
  type Spooled,
  send,
  sendEmpty,
  sendJson,
  writeHead,
} from '#surfaces/http/exchange.ts';
import type { Documents } from '../discovery/documents.ts';
import type { Exchange, HttpState } from '../http/exchange.ts';
import type { HttpLimits } from '../http/limits.ts';
import type { EventStreams } from '../sse/event-streams.ts';
import { callShape, decodeCall } from './decode-call.ts';

interface RouteDeps {
  gateway: Gateway;
  documents: Documents;
  streams: EventStreams;
  limits: HttpLimits;
  spool: Spool;
  json: JsonReader;
}

/** Answers one operation; `path` holds the decoded path parameters. */
type Handler = (exchange: Exchange, path: Record<string, string>) => Promise<void>;

/** Routes of every row of the operations table. */
export function operationRoutes(deps: RouteDeps): RouterGroups {
  const routers = new RouterGroups();
  const room = new BundleRoom(deps.limits.maxBundleBytes);
  for (const id of Object.keys(OPERATIONS) as OperationId[]) {
    const { method, path } = operation(id);
    addRoute(routers, method === 'GET' ? READ : [method], path, handlerOf(id, deps, room));
  }
  return routers;
}

/** What is read is also described: by the same row, so with the same scope. Spec: RFC 9110, section 9.3.2. */
export const READ = ['GET', 'HEAD'] as const;

/** Adds a route that answers exactly these methods; koa-router would add HEAD to any GET. */
export function addRoute(
  routers: RouterGroups,
  methods: readonly string[],
  path: string,
  handler: Handler,
): void {
  const middleware: Middleware<HttpState> = async (ctx) => {
    const { exchange } = ctx.state;
    exchange.route = path;
    await handler(exchange, (ctx as unknown as { params: Record<string, string> }).params);
  };
  const router = routers.of(path);
  router.register(routerPath(path), [...methods], middleware);
  const layer = router.stack.at(-1);
  if (layer !== undefined) layer.methods = [...methods];
}

/** `{name}` becomes a parameter; what else means something to the router stands for itself, as in `/tasks/{id}:cancel`. */
function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}|[:*()[\]{}?+!]/g, (special, name: string | undefined) =>
    name === undefined ? `\\${special}` : `:${name}`,
  );
}

function handlerOf(id: OperationId, deps: RouteDeps, room: BundleRoom): Handler {
  switch (operation(id).kind) {
    case 'document':
      return (exchange, path) => deps.documents.answer(id as DocumentId, exchange, path);
    case 'stream':
      return streamHandler(id as StreamId, deps);
    case 'socket':
      return socketHandler(id as IdsOfKind<'socket'>, deps);
    case 'command':
    case 'query':
      return operation(id).body === 'spooled'
        ? bundleHandler(id as CommandId | QueryId, deps, room)
        : callHandler(id as CommandId | QueryId, deps);
  }
}

function callHandler(id: CommandId | QueryId, deps: RouteDeps): Handler {
  const { gateway } = deps;
  const row = operation(id);
  const shape = callShape(row);
  const admit = (head: CallHead) => gateway.admit(id, head);
  return async (exchange, path) => {
    if (row.alternatives !== undefined) exchange.headers.push('Vary', 'Accept');
    if (row.variesByVersion === true) exchange.headers.push('Vary', VERSION_HEADER);
    const call = await decodeCall(exchange, path, shape, deps, admit);
    await encodeAnswer(exchange, await gateway.call(id, call));
  };
}

/** The same for a body that lies in a file until it is answered. */
function bundleHandler(id: CommandId | QueryId, deps: RouteDeps, room: BundleRoom): Handler {
  const { gateway, limits, spool } = deps;
  const shape = callShape(operation(id));
  return async (exchange, path) => {
    let leave = () => {};
    let body: Spooled | undefined;
    let answer: Answer;
    const admit = (head: CallHead) => {
      gateway.admit(id, head);
      leave = room.take(exchange);
    };
    try {
      const call = await decodeCall(exchange, path, shape, deps, admit, async () => {
        body = await readSpooled(exchange, limits.maxBundleBytes, spool);
        return body;
      });
      answer = await gateway.call(id, call);
    } finally {
      await body?.close();
      leave();
    }
    await encodeAnswer(exchange, answer);
  };
}

function streamHandler(id: StreamId, deps: RouteDeps): Handler {
  const { gateway, streams } = deps;
  const shape = callShape(operation(id));
  const admit = (head: CallHead) => gateway.admit(id, head);
  return async (exchange, path) => {
    const call = await decodeCall(exchange, path, shape, deps, admit);
    if (exchange.req.method === 'HEAD') await streams.describe(id, exchange, call);
    else await streams.follow(id, exchange, call);
  };
}

/** An upgrade never comes here; a plain request is answered with what to do instead. */
function socketHandler(id: IdsOfKind<'socket'>, deps: RouteDeps): Handler {
  const { gateway } = deps;
  const shape = callShape(operation(id));
  return async (exchange, path) => {
    const call = await decodeCall(exchange, path, shape, deps, (head) => gateway.admit(id, head));
    gateway.admit(id, call);
    throw new ProtocolError('invalid_request', 'Open a WebSocket here: send Upgrade: websocket.', {
      param: 'Upgrade',
    });
  };
}

/**
 * Routers by the fixed beginning of their paths, such as `/v1/sessions` or `/a2a`. A router tries each of its routes for
 * every request, so a request only meets the routes that begin like it. Paths are exact: case and trailing slash count.
 */
export class RouterGroups {
  readonly #groups = new Map<string, Router<HttpState>>();

  /** The router for routes of this path, whose parameters are written `{name}`. */
  of(path: string): Router<HttpState> {
    const [one, two] = beginnings(path);
    const group = two.includes('{') ? one : two;
    const router = this.#groups.get(group) ?? new Router<HttpState>({ sensitive: true, strict: true });
    this.#groups.set(group, router);
    return router;
  }

  /** Hands a request to the group of its two first segments, then to that of its first. */
  routes(): Middleware<HttpState> {
    const groups = new Map([...this.#groups].map(([group, router]) => [group, router.routes()]));
    return (ctx, next) => {
      const [one, two] = beginnings(ctx.path);
      const [narrow, wide] = [groups.get(two), one === two ? undefined : groups.get(one)];
      const further = wide === undefined ? next : () => wide(ctx as never, next);
      return narrow === undefined ? further() : narrow(ctx as never, further);
    };
  }
}

/** The first segment, and the first two. */
function beginnings(path: string): [one: string, two: string] {
  const first = path.indexOf('/', 1);
  if (first < 0) return [path, path];
  const second = path.indexOf('/', first + 1);
  return [path.slice(0, first), second < 0 ? path : path.slice(0, second)];
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w.+-]+=(?:[\w.+-]+|"[\w .+-]*"))*$/;
const REPEATED = ['Idempotency-Replayed', 'true'] as const;
const FIRST: readonly string[] = [];
/** Read of an answer that is made while it is sent, before its head goes out: most are whole by then. */
const HELD_BYTES = 1024 * 1024;

/** Writes an Answer. Stored JSON goes out as it is; bytes go out as a download. */
async function encodeAnswer(exchange: Exchange, answer: Answer): Promise<void> {
  const headers = answer.repeated === true ? REPEATED : FIRST;
  const { body, status } = answer;
  switch (body.kind) {
    case 'json':
      sendJson(exchange, status, body.value, headers);
      return;
    case 'raw_json':
      send(exchange, status, JSON_TYPE, join(body.chunks), headers);
      return;
    case 'json_stream':
      await sendJsonStream(exchange, status, body.chunks);
      return;
    case 'document':
      send(exchange, status, body.mimeType, body.bytes, headers);
      return;
    case 'bytes':
      await sendDownload(exchange, status, body);
      return;
    case 'none':
      sendEmpty(exchange, status, headers);
      return;
    default:
      body satisfies never;
  }
}

function join(chunks: Buffer[]): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

async function sendJsonStream(
  exchange: Exchange,
  status: number,
  chunks: AsyncIterable<Buffer>,
): Promise<void> {
  const begun = await withBeginning(chunks, HELD_BYTES);
  if (exchange.isGone) return begun.end();
  writeHead(exchange, status, ['Content-Type', JSON_TYPE]);
  await sendChunks(exchange, begun);
}

/** `end` gives free what the chunks are made of, where nobody reads them. */
interface BegunChunks extends AsyncIterable<Uint8Array> {
  end(): Promise<void>;
}

/**
 * The same chunks, of which so many bytes are read already, or all there are: what fails there can still be answered with an
 * error.
 */
async function withBeginning(chunks: AsyncIterable<Uint8Array>, minBytes: number): Promise<BegunChunks> {
  const rest = chunks[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let bytes = 0;
  let next = await rest.next();
  for (; next.done !== true; next = await rest.next()) {
    held.push(next.value);
    bytes += next.value.byteLength;
    if (bytes >= minBytes) break;
  }
  const isWhole = next.done === true;
  const end = async () => {
    await rest.return?.();
  };
  return {
    end,
    async *[Symbol.asyncIterator]() {
      try {
        for (let chunk = held.shift(); chunk !== undefined; chunk = held.shift()) yield chunk;
        if (isWhole) return;
        for (next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
      } finally {
        await end();
      }
    },
  };
}

/** Sends a body as it comes; what fails under way cuts the answer, and is logged. Of a client that left meanwhile the log says so when its exchange closes; it is no failure. */
async function sendChunks(exchange: Exchange, chunks: BegunChunks): Promise<void> {
  const { req, res, signal } = exchange;
  if (req.method === 'HEAD') {
    res.end();
    return chunks.end();
  }
  try {
    await pipeline(Readable.from(watched(exchange, chunks), { objectMode: false }), res, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The end of the pipeline closes the connection, so that it looks as if the client had left: the cause is noted before. */
async function* watched(exchange: Exchange, chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    cutAnswer(exchange, error);
    throw error;
  }
}

/** A browser must save the bytes, never show or run them: they come from agents and callers. */
async function sendDownload(
  exchange: Exchange,
  status: number,
  body: Extract<AnswerBody, { kind: 'bytes' }>,
): Promise<void> {
  // What has a known size was looked through before; what is made under way may fail at any place.
  const begun = await withBeginning(body.chunks, body.size === undefined ? HELD_BYTES : 1);
  if (exchange.isGone) return begun.end();
  writeHead(exchange, status, [
    'Content-Type',
    MEDIA_TYPE.test(body.mimeType) ? body.mimeType : 'application/octet-stream',
    ...(body.size === undefined ? [] : ['Content-Length', String(body.size)]),
    'Content-Disposition',
    disposition(body.fileName),
  ]);
  await sendChunks(exchange, begun);
}

/** RFC 6266: a plain name for old readers, the exact one in UTF-8. */
function disposition(fileName: string): string {
  const plain = fileName.replace(/[^\w.-]/g, '_').slice(0, 200) || 'artifact';
  const exact = encodeURIComponent(wellFormed(fileName.slice(0, 200))).replace(/['()*]/g, percent);
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** Half surrogate pairs, which cannot be escaped, become U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** An import of a large bundle takes longer; one that is answered sooner makes room sooner. */
const RETRY_AFTER_SECONDS = 5;

/** Bounds the bytes of all bundles that lie on the disk at once, those that wait for their turn included. */
class BundleRoom {
  readonly #maxBytes: number;
  #taken = 0;

  /** `maxBytes`: of all of them together; one may be as large. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes room for the body before it is read; all of it where the client does not say how long it is. Returns what gives the
   * room back. Throws `rate_limited` where others have it; a body that is too large on its own takes none, and is refused as that.
   */
  take({ req }: Exchange): () => void {
    const declared = req.headers['content-length'];
    const bytes = declared === undefined ? this.#maxBytes : Number(declared);
    if (bytes > this.#maxBytes) return () => {};
    if (this.#taken + bytes > this.#maxBytes) throw full(this.#maxBytes);
    this.#taken += bytes;
    return () => {
      this.#taken -= bytes;
    };
  }
}

function full(maxBytes: number): ProtocolError {
  const message = `Other bundles are at work, and all together may have ${maxBytes} bytes. Send this one again when they are done.`;
  return new ProtocolError('rate_limited', message, {
    details: { max_bytes: maxBytes },
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
