import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  type McpHttpHandler,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { ServerDeps, ServerExchange } from '#protocol-server.ts';
import {
  ASKABLE,
  askedPages,
  only,
  resultWithoutSession,
  SHARED_CAPABILITIES,
  sharedMethod,
} from '../../../../mappings/mcp/eras.ts';
import { MCP_ERRORS } from '../../../../mappings/mcp/errors.ts';
import { Fault } from '../../../wire/faults.ts';
import { errorAnswer, RpcError, type RpcFault } from '../../../wire/json-rpc.ts';
import { pause, timersOf } from '../../../wire/waits.ts';
import { CallRounds } from '../../client/call-rounds.ts';
import { FIXED_LIMITS } from '../../client/config.ts';
import type { CallOptions, Connection, ServerPeer } from '../../client/connection.ts';
import { GIVEN_UP, isNotRun, rpcErrorOf, TIMED_OUT } from '../../client/faults.ts';
import { type Lease, NOBODY } from '../../client/session-connections.ts';
import { type MountedServer, type OpenServer, openTools } from '../../mounted-server.ts';
import { ANY, capabilitiesOf } from '../stateless-connection.ts';
import { HeldRequest, HeldRequests, MountConnections, type Owner } from './connections.ts';

type NodeHandler = ReturnType<typeof toNodeHandler>;

/** One request of a client, and the connection that others of the same owner use too. */
interface Given {
  server: OpenServer;
  owner: Owner;
  method: string;
  params: JsonObject;
  connection: Connection;
}

/**
 * `/mcp/{server}` for clients without sessions (2026-07-28), in front of a server that does not take their requests as they
 * come: one with sessions (2025-11-25 and older), or one on standard streams. What a server with a session asks is carried
 * by the answer to the request during which it asks, and waits in memory for the client to come back.
 */
export class MountBridge {
  readonly #deps: ServerDeps;
  readonly #limits: MountedServer['limits'];
  readonly #handler: McpHttpHandler;
  readonly #serve: NodeHandler;
  readonly #connections: MountConnections;
  readonly #held: HeldRequests;
  #served = 0;

  constructor(deps: ServerDeps, server: MountedServer) {
    this.#deps = deps;
    this.#limits = server.limits;
    this.#held = new HeldRequests(deps);
    this.#connections = new MountConnections(deps, server);
    this.#handler = createMcpHandler(({ authInfo }) => this.#server(authInfo?.extra?.['given'] as Given), {
      legacy: 'reject',
      keepAliveMs: deps.limits.heartbeatIntervalMs,
    });
    this.#serve = toNodeHandler(this.#handler);
  }

  /** Somebody is served, or is to come back with an answer. */
  get isUsed(): boolean {
    return this.#served > 0 || this.#held.isHolding;
  }

  async handle(exchange: ServerExchange, server: OpenServer, owner: Owner, body: JsonObject): Promise<void> {
    const method = String(body['method']);
    const params = objectOf(body['params']);
    try {
      const { connection, release } = await this.#connections.common(owner, this.#watcher(), exchange.signal);
      const watching = this.#connections.watch(connection, watchedUris(method, params));
      const stop = await watching.catch((error: unknown) => {
        release();
        throw error;
      });
      const { req, res } = exchange.takeOver(() => res.end());
      this.#served += 1;
      res.once('close', () => {
        this.#served -= 1;
        void stop().finally(release);
      });
      const given: Given = { server, owner, method, params, connection };
      const auth = { token: '', clientId: owner.actor, scopes: [], extra: { given } };
      await this.#serve(Object.assign(req, { auth }) as Parameters<NodeHandler>[0], res, body);
    } catch (error) {
      refuse(exchange, body, error);
    }
  }

  async close(): Promise<void> {
    this.#held.close();
    await Promise.all([this.#handler.close(), this.#connections.close()]);
  }

  /** Whoever listens is notified of changes: that it did is no secret between those who may read it. */
  #watcher(): ServerPeer {
    const { notify } = this.#handler;
    const changes: Readonly<Record<string, (params: JsonObject) => void>> = {
      'notifications/tools/list_changed': () => notify.toolsChanged(),
      'notifications/prompts/list_changed': () => notify.promptsChanged(),
      'notifications/resources/list_changed': () => notify.resourcesChanged(),
      'notifications/resources/updated': ({ uri }) => notify.resourceUpdated(String(uri)),
    };
    return { asked: NOBODY.asked, notified: (method, params) => changes[method]?.(params) };
  }

  /** The SDK judges what came and puts the answer on the wire; the answer is that of the server. */
  #server(given: Given): Server {
    const { method, connection } = given;
    const { isStateless, capabilities, server: its } = connection;
    const { instructions, ...info } = its;
    const known = [...SHARED_CAPABILITIES, ...(isStateless ? ['extensions'] : [])];
    const server = new Server(info, {
      capabilities: only(capabilities, known) as never,
      ...(instructions === undefined ? {} : { instructions }),
    });
    const answer = (_request: unknown, context: ServerContext) => this.#answer(given, context);
    const shared = sharedMethod(method);
    if (isStateless || (shared !== undefined && shared.capability in capabilities))
      server.fallbackRequestHandler = answer as never;
    if (isStateless && /^tasks\/(get|update|cancel)$/.test(method))
      server.setRequestHandler(method, ANY, answer as never);
    return server;
  }

  async #answer(given: Given, context: ServerContext): Promise<JsonObject> {
    const { server, method, params, connection } = given;
    const heldBack = this.#connections.heldBack(connection);
    const name = String(params['name']);
    try {
      const refusal = method === 'tools/call' ? server.refusal(name, heldBack.get(name)) : undefined;
      if (refusal !== undefined) throw refusal;
      const result = await this.#run(given, context);
      return method === 'tools/list' ? openTools(server, result, heldBack) : result;
    } catch (error) {
      throw Object.assign(new Error(), wireError(error));
    }
  }

  async #run(given: Given, context: ServerContext): Promise<JsonObject> {
    const { method, params, owner, connection } = given;
    const subject = `${owner.actor} ${owner.workspaceId} ${subjectOf(method, params)}`;
    const { requestState: state, inputResponses } = params;
    const isResumed = state !== undefined && !connection.isStateless;
    const request = isResumed ? this.#held.resume(String(state), subject) : this.#begin(given, context);
    if (isResumed) request.answer(objectOf(inputResponses));
    const { signal } = context.mcpReq;
    request.listener = (notified, about) => notify(context, notified, about);
    const leave = () => request.stop();
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      const standstill = await request.standstill();
      if ('result' in standstill)
        return connection.isStateless ? standstill.result : resultWithoutSession(method, standstill.result);
      return { resultType: 'input_required', ...standstill, requestState: this.#held.hold(request, subject) };
    } catch (error) {
      return askedByError(error, method, capabilitiesOf(context));
    } finally {
      signal.removeEventListener('abort', leave);
      request.listener = () => undefined;
    }
  }

  #begin(given: Given, context: ServerContext): HeldRequest {
    const request = new HeldRequest();
    const { server, method, params } = given;
    const over =
      method === 'tools/call'
        ? server.begins(String(params['name']), (why) => request.end(why))
        : () => undefined;
    const answer = this.#ask(given, context, request).catch(async (error: unknown) => {
      // A server that started anew has not seen it. The connection is a new one then, for others too.
      if (!isNotRun(error) || request.signal.aborted) throw error;
      const { connection, release } = await this.#connections.common(
        given.owner,
        this.#watcher(),
        request.signal,
      );
      return this.#ask({ ...given, connection }, context, request).finally(release);
    });
    request.follow(answer.finally(over));
    return request;
  }

  /** Sends a request to the server, on a connection of its own where it may be asked. */
  async #ask(given: Given, context: ServerContext, request: HeldRequest): Promise<JsonObject> {
    const { server, method, params } = given;
    const lease = await this.#lease(given, context, request);
    const { progressToken } = objectOf(params['_meta']);
    const { idle_timeout_ms, total_timeout_ms } = this.#limits;
    const options: CallOptions = {
      signal: request.signal,
      // A person who is asked takes their time.
      idleTimeoutMs: lease === undefined ? idle_timeout_ms : total_timeout_ms,
      totalTimeoutMs: total_timeout_ms,
      onProgress: (progress) =>
        request.notified('notifications/progress', { ...progress, progressToken: progressToken ?? '' }),
    };
    if (progressToken === undefined) delete options.onProgress;
    const connection = lease?.connection ?? given.connection;
    const passed = passedParams(params, connection.isStateless);
    const isTask =
      method === 'tools/call' &&
      !connection.isStateless &&
      server.needsTask(String(params['name']), connection.capabilities);
    try {
      return await (isTask
        ? callAsTask(connection, passed, options, this.#deps)
        : connection.request(method, passed, options));
    } finally {
      lease?.release();
    }
  }

  /** For a request during which its server may ask, or write lines that belong to it; undefined where the common one will do. */
  async #lease(
    { owner, method, connection }: Given,
    context: ServerContext,
    request: HeldRequest,
  ): Promise<Lease | undefined> {
    if (!sharedMethod(method)?.mayAsk) return undefined;
    const offered = connection.isStateless ? {} : only(capabilitiesOf(context), ASKABLE);
    const level = objectOf(context.mcpReq.envelope)['io.modelcontextprotocol/logLevel'];
    if (Object.keys(offered).length === 0 && level === undefined) return undefined;
    const watcher = this.#watcher();
    const lease = await this.#connections.own(
      owner,
      offered,
      {
        asked: (asked, about, signal) => request.asked(asked, about, signal),
        notified: (what, about) => {
          watcher.notified(what, about);
          request.notified(what, about);
        },
      },
      request.signal,
    );
    if (level === undefined || connection.isStateless || !('logging' in connection.capabilities))
      return lease;
    const { idle_timeout_ms: ms } = this.#limits;
    const options = { signal: request.signal, idleTimeoutMs: ms, totalTimeoutMs: ms };
    try {
      await lease.connection.request('logging/setLevel', { level }, options);
      return lease;
    } catch (error) {
      lease.release();
      throw error;
    }
  }
}

/** Lines of the log are for those who want them; changes of lists are sent to those who listen. */
function notify({ mcpReq }: ServerContext, method: string, params: JsonObject): void {
  const isLog = method === 'notifications/message';
  const level = objectOf(mcpReq.envelope)['io.modelcontextprotocol/logLevel'];
  if (method !== 'notifications/progress' && !(isLog && level !== undefined)) return;
  void mcpReq.notify({ method, params } as never).catch(() => undefined);
}

function refuse(exchange: ServerExchange, { id = null }: JsonObject, error: unknown): void {
  const isServers = error instanceof RpcError;
  const message = error instanceof Fault ? error.message : 'The server could not be reached. Retry later.';
  if (!isServers) exchange.failed(new ProtocolError('upstream_unavailable', message, { cause: error }));
  exchange.send(isServers ? 200 : 502, 'application/json', errorAnswer(id, wireError(error)));
}

/**
 * The result of a tool that its server runs only as a task, for a client that knows no tasks of that revision. What is given
 * up is canceled there. Rejects like a connection. Spec: MCP 2025-11-25, "Tasks".
 */
async function callAsTask(
  connection: Connection,
  params: JsonObject,
  options: CallOptions,
  { clock, timers }: Pick<ServerDeps, 'clock' | 'timers'>,
): Promise<JsonObject> {
  const { onProgress, ...bounds } = options;
  const since = clock.monotonic();
  let taskId: string | undefined;
  const call = (given: JsonObject) => connection.request('tools/call', given, options);
  const request = (method: string, about: JsonObject) => connection.request(method, about, bounds);
  const rounds = new CallRounds(
    {
      call,
      request,
      poll: (method, about) => {
        if (clock.monotonic() - since > options.totalTimeoutMs) throw TIMED_OUT;
        return request(method, about);
      },
      // What the server asks comes on its connection, and goes to the client from there.
      ask: (method, about) => NOBODY.asked(method, about, options.signal),
      wait: (ms) => pause(ms, timersOf(timers), options.signal, GIVEN_UP),
      // The words of a task come without a number, and progress of a client has one.
      progress: () => undefined,
      asksInRound: () => undefined,
      answersRound: () => undefined,
      becomesTask: (id) => {
        taskId = id;
      },
    },
    false,
  );
  const asTask = { ...params, task: {} };
  try {
    return await rounds.finish(asTask, await call(asTask));
  } catch (error) {
    const isLeft = options.signal.aborted || error === TIMED_OUT;
    if (taskId !== undefined && isLeft) await cancelTask(connection, taskId);
    throw error;
  }
}

/** A server that does not hear of it goes on by itself; there is nobody left to notify. */
async function cancelTask(connection: Connection, taskId: string): Promise<void> {
  const { cancelMs: ms } = FIXED_LIMITS;
  const { signal } = new AbortController();
  const bounds = { signal, idleTimeoutMs: ms, totalTimeoutMs: ms };
  await connection.request('tasks/cancel', { taskId }, bounds).catch(() => undefined);
}

/** Names of the revision without sessions in `_meta`; to servers with one they say nothing. */
const RESERVED = 'io.modelcontextprotocol/';

/** The parameters of a request as the server gets them: its answers and its state stay here where the server keeps a session. */
function passedParams(params: JsonObject, isStateless: boolean): JsonObject {
  const { _meta, inputResponses, requestState, ...rest } = params;
  // Its own progress token is that of the client, which may be in use for another one.
  const { progressToken, ...given } = objectOf(_meta);
  const kept = Object.entries(given).filter(([name]) => isStateless || !name.startsWith(RESERVED));
  const rounds = {
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
  return {
    ...rest,
    ...(isStateless ? rounds : {}),
    ...(kept.length === 0 ? {} : { _meta: Object.fromEntries(kept) }),
  };
}

/** What a request is about: a state that came with its answer is of no other one. */
function subjectOf(method: string, { name, uri, ref }: JsonObject): string {
  return JSON.stringify([method, name ?? uri ?? ref ?? null]);
}

/** Resources whose changes a client listens for. */
function watchedUris(method: string, { notifications }: JsonObject): string[] {
  const { resourceSubscriptions: uris } = objectOf(notifications);
  if (method !== 'subscriptions/listen' || !Array.isArray(uris)) return [];
  return [...new Set(uris.filter((uri): uri is string => typeof uri === 'string'))];
}

/** A JSON-RPC error. What a server with a session calls a missing resource is wrong parameters without one. */
function wireError(error: unknown): RpcFault {
  const { fault } = rpcErrorOf(error);
  const isMissing = fault.code === MCP_ERRORS.resource_not_found;
  return isMissing ? { ...fault, code: MCP_ERRORS.invalid_params } : fault;
}

/**
 * A server with a session that wants pages opened first says so by an error; without one it is a result that asks. The
 * request is made anew then. Rethrows any other error. Spec: MCP 2025-11-25, "URL Elicitation Required Error".
 */
export function askedByError(error: unknown, method: string, offered: JsonObject): JsonObject {
  if (!(error instanceof RpcError) || error.code !== MCP_ERRORS.url_elicitation_required) throw error;
  if (objectOf(offered['elicitation'])['url'] === undefined) {
    const data = { requiredCapabilities: { elicitation: { url: {} } } };
    throw new RpcError(MCP_ERRORS.missing_capability, error.message, data);
  }
  const inputRequests = askedPages(error.data);
  // Who is asked nothing would send the same again at once, and for ever.
  if (Object.keys(inputRequests).length === 0) throw error;
  return { ...resultWithoutSession(method, {}), resultType: 'input_required', inputRequests };
}
