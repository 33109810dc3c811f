import type { Middleware } from 'koa';
import Router from 'koa-router';
import type { Answer, CallHead, Gateway } from '../../gateway.ts';
import type { JsonReader } from '../../json/json-reader.ts';
import type { Spool } from '../../protocol/bytes.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import {
  type CommandId,
  type DocumentId,
  type IdsOfKind,
  OPERATIONS,
  type OperationId,
  operation,
  type QueryId,
  type StreamId,
} from '../../protocol/operations.ts';
import type { Documents } from '../discovery/documents.ts';
import { readSpooled, type Spooled } from '../http/body.ts';
import type { HttpState } from '../http/edge.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HttpLimits } from '../http/limits.ts';
import type { EventStreams } from '../sse/event-streams.ts';
import { BundleRoom } from './bundle-room.ts';
import { callShape, decodeCall } from './decode-call.ts';
import { encodeAnswer } from './encode-answer.ts';

export interface RouteDeps {
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

/** An upgrade never comes here; a plain request is told what to do instead. */
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
