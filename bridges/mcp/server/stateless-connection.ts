import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  inputRequired,
  LOG_LEVEL_META_KEY,
  type McpHttpHandler,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { ServerDeps, ServerExchange } from '#protocol-server.ts';
import type { Task } from '#resources/task/schema.ts';
import { codeOfFailure, MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import { logLevelOf } from '../../../mappings/mcp/log-levels.ts';
import { TASKS_EXTENSION } from '../../../mappings/mcp/revisions.ts';
import { type HarnTaskState, TASK_STATES } from '../../../mappings/mcp/task-states.ts';
import { ask } from '../../wire/gateway-calls.ts';
import { CallLog, progressNotification } from './call-log.ts';
import { resultOfTask, waitingResult } from './call-result.ts';
import { refusedCall, rpcErrorOf } from './faults.ts';
import type { Standstill } from './follow.ts';
import {
  type ClientCall,
  elicitationOf,
  findTool,
  hasRequest,
  INSTRUCTIONS,
  listTools,
  questionOf,
  readTask,
  respond,
  SERVER_NAME,
  stand as standOf,
  submitCall,
  toolOf,
} from './requests.ts';
import { listResources, readResource, resourceTemplates } from './resources.ts';

type NodeHandler = ReturnType<typeof toNodeHandler>;

/** One request, and whether its client left before it was answered. */
interface Client {
  readonly exchange: ServerExchange;
  /** Aborted when the client goes away. */
  readonly left: AbortController;
  /** The gateway ends the answer: what was called goes on. */
  isLeft: boolean;
}

/** Lists differ by caller, and change when servers do. */
const UNCACHED = { ttlMs: 0, cacheScope: 'private' } as const;

/**
 * The stateless revision (2026-07-28). A call that needs input ends with `input_required`; its state is the id of the
 * durable Task and of the request that waits, so that any later request of the same caller goes on with it.
 */
export class StatelessServer {
  readonly #deps: ServerDeps;
  readonly #handler: McpHttpHandler;
  readonly #serve: NodeHandler;
  /** How many open requests follow a Task, by its id. */
  readonly #following = new Map<string, number>();

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    this.#handler = createMcpHandler(({ authInfo }) => this.#server(authInfo?.extra?.['client'] as Client), {
      legacy: 'reject',
      keepAliveMs: deps.limits.heartbeatIntervalMs,
    });
    this.#serve = toNodeHandler(this.#handler);
  }

  async handle(exchange: ServerExchange, actor: string, body: JsonValue): Promise<void> {
    const client: Client = { exchange, left: new AbortController(), isLeft: false };
    const { req, res } = exchange.takeOver(() => {
      client.isLeft = true;
      res.end();
    });
    exchange.signal.addEventListener('abort', () => client.isLeft || client.left.abort(), { once: true });
    const auth = { token: '', clientId: actor, scopes: [], extra: { client } };
    await this.#serve(Object.assign(req, { auth }) as Parameters<NodeHandler>[0], res, body);
  }

  toolsChanged(): void {
    this.#handler.notify.toolsChanged();
  }

  async close(): Promise<void> {
    await this.#handler.close();
  }

  #server(client: Client): Server {
    const { exchange } = client;
    const deps = this.#deps;
    const server = new Server(
      { name: SERVER_NAME, version: deps.version },
      {
        capabilities: {
          tools: { listChanged: true },
          resources: {},
          logging: {},
          extensions: { [TASKS_EXTENSION]: {} },
        },
        instructions: INSTRUCTIONS,
      },
    );
    const answer =
      <Given, Result>(handle: (request: Given, context: ServerContext) => Promise<JsonObject>) =>
      async (request: Given, context: ServerContext): Promise<Result> => {
        try {
          return (await handle(request, context)) as unknown as Result;
        } catch (error) {
          if (error instanceof ProtocolError) throw rpcErrorOf(error, exchange.requestId);
          throw error;
        }
      };
    server.setRequestHandler(
      'tools/call',
      answer(({ params }, context) => this.#call(client, objectOf(params), context)),
    );
    // What a schema of the SDK refuses, it answers as an internal error.
    const reads: Readonly<Record<string, (params: JsonObject) => Promise<JsonObject>>> = {
      'tools/list': ({ cursor }) => listTools(deps, exchange, cursor),
      'resources/list': ({ cursor }) => listResources(deps, exchange, cursor),
      'resources/templates/list': async () => ({ resourceTemplates: resourceTemplates() }),
      'resources/read': ({ uri }) => readResource(deps, exchange, uriOf(uri)),
    };
    for (const [method, read] of Object.entries(reads)) {
      const handle = answer(async (params: JsonObject) => ({ ...(await read(params)), ...UNCACHED }));
      server.setRequestHandler(method, ANY, handle as never);
    }
    serveTasks(server, deps, exchange, answer);
    return server;
  }

  async #call(client: Client, params: JsonObject, context: ServerContext): Promise<JsonObject> {
    try {
      return await this.#run(client, params, context);
    } catch (error) {
      const refused = refusedCall(error, client.exchange.requestId);
      if (refused !== undefined) return refused;
      throw error;
    }
  }

  async #run({ exchange, left }: Client, params: JsonObject, context: ServerContext): Promise<JsonObject> {
    const deps = this.#deps;
    const { mcpReq } = context;
    const tool = await findTool(deps, exchange, String(params['name']));
    const level = logLevelOf(objectOf(mcpReq.envelope)[LOG_LEVEL_META_KEY]);
    const log =
      level &&
      new CallLog(deps, exchange, level, ({ method, params: about }) => notify(context, method, about));
    const call = {
      exchange,
      sessionKey: 'mcp',
      hasSession: false,
      signal: left.signal,
      progress: (report: JsonObject) => this.#progress(context, report),
      ...(log === undefined ? {} : { log: (line: JsonObject, eventId: string) => log.take(line, eventId) }),
    };
    const state = mcpReq.requestState<string>();
    const resumed =
      state === undefined ? undefined : await this.#resume(exchange, tool.route, state, context);
    const submitted = resumed === undefined ? await submitCall(deps, call, tool, params) : undefined;
    const knowsTasks = declaresTasks(context);
    // An agent may take its time; a client that knows tasks need not hold its request open for it.
    if (submitted !== undefined && tool.kind === 'agent' && knowsTasks) return createTaskResult(submitted);
    const taskId = resumed?.taskId ?? submitted?.id ?? '';
    const standstill = await this.#stand(call, taskId, resumed?.requestId);
    await log?.all();
    const task = await readTask(deps, exchange, taskId);
    if (isTerminal(standstill.status)) return resultOfTask(deps.gateway, exchange, tool, task);
    const question = await questionOf(deps, exchange, taskId);
    if (question === undefined && knowsTasks) return createTaskResult(task);
    const elicitation = question && elicitationOf(question, capabilitiesOf(context)['elicitation']);
    if (question === undefined || elicitation === undefined)
      return waitingResult(task, standstill.requestId, question?.url);
    const { requestId } = question;
    const asked = { method: 'elicitation/create', params: elicitation } as const;
    return inputRequired({
      inputRequests: { [requestId]: asked as never },
      requestState: `${taskId}.${requestId}`,
    }) as unknown as JsonObject;
  }

  /**
   * A client that closes the stream of its answer takes the call back, unless it has sent the same call again meanwhile: what
   * it closes then is the stream that broke. Spec: MCP 2026-07-28, "Streamable HTTP", disconnection.
   */
  async #stand(call: ClientCall, taskId: string, beyond: string | undefined): Promise<Standstill> {
    const isFollowed = () => (this.#following.get(taskId) ?? 0) > 1;
    this.#following.set(taskId, (this.#following.get(taskId) ?? 0) + 1);
    try {
      return await standOf(this.#deps, { ...call, isFollowed }, taskId, beyond);
    } finally {
      const others = (this.#following.get(taskId) ?? 1) - 1;
      if (others === 0) this.#following.delete(taskId);
      else this.#following.set(taskId, others);
    }
  }

  /** Whoever may read the Task may go on with it; a state that names another tool's Task, or none, is refused. */
  async #resume(exchange: ServerExchange, route: string, state: string, { mcpReq }: ServerContext) {
    const [taskId = '', requestId = ''] = state.split('.');
    const task = await readTask(this.#deps, exchange, taskId).catch(() => undefined);
    const isOurs =
      task?.metadata['route'] === route && (await hasRequest(this.#deps, exchange, taskId, requestId));
    if (!isOurs) {
      const message =
        'requestState names no call of this tool. Send it back as it came, or call again without it.';
      throw Object.assign(new Error(message), { code: -32602 });
    }
    const response = objectOf(objectOf(mcpReq.inputResponses)[requestId]);
    if (Object.keys(response).length === 0) return { taskId, requestId: undefined };
    await respond(this.#deps, exchange, requestId, response);
    return { taskId, requestId };
  }

  #progress(context: ServerContext, report: JsonObject): void {
    const { progressToken } = objectOf(context.mcpReq._meta);
    if (progressToken === undefined) return;
    const { method, params } = progressNotification(progressToken, report);
    notify(context, method, params);
  }
}

function uriOf(uri: unknown): string {
  if (typeof uri === 'string') return uri;
  throw new ProtocolError('invalid_request', 'Must be the URI of a resource, as resources/list names them.', {
    param: 'params.uri',
  });
}

/** Nothing is sent to a client that has left. */
function notify({ mcpReq }: ServerContext, method: string, params: unknown): void {
  void mcpReq.notify({ method, params } as never).catch(() => undefined);
}

/** Tasks are kept by the retention of the gateway and not for a time that begins with them. */
const BOUNDS = { ttlMs: null, pollIntervalMs: 1_000 } as const;

/** Whether this request says that its client knows tasks. */
function declaresTasks(context: ServerContext): boolean {
  return TASKS_EXTENSION in objectOf(capabilitiesOf(context)['extensions']);
}

/** What the client of this request offers. */
export function capabilitiesOf({ mcpReq }: ServerContext): JsonObject {
  return objectOf(objectOf(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY]);
}

/** A CreateTaskResult: the Task is durable, and goes on without its client. The SDK wants a content of every result. */
function createTaskResult(task: Task): JsonObject {
  return { resultType: 'task', content: [], ...headOf(task) };
}

type Answer = (
  method: (params: JsonObject, context: ServerContext) => Promise<JsonObject>,
) => (params: JsonObject, context: ServerContext) => Promise<JsonObject>;

/** The id of a task is that of the durable Task. Serves `tasks/get`, `tasks/update` and `tasks/cancel`. `answer` turns errors into those of the wire. */
function serveTasks(server: Server, deps: ServerDeps, exchange: ServerExchange, answer: Answer): void {
  const methods = {
    'tasks/get': (task: Task, context: ServerContext) =>
      detailOf(deps, exchange, task, capabilitiesOf(context)['elicitation']),
    'tasks/update': (task: Task, { mcpReq }: ServerContext) =>
      update(deps, exchange, task, objectOf(mcpReq.inputResponses)),
    'tasks/cancel': (task: Task) => cancel(deps, exchange, task),
  } as const;
  for (const [method, run] of Object.entries(methods)) {
    const handle = answer(async ({ taskId }, context) => {
      if (!declaresTasks(context)) throw missingCapability();
      return run(await readTask(deps, exchange, String(taskId)), context);
    });
    server.setRequestHandler(method, ANY, handle as never);
  }
}

async function detailOf(
  deps: ServerDeps,
  exchange: ServerExchange,
  task: Task,
  offered: unknown,
): Promise<JsonObject> {
  const head = { resultType: 'complete', ...headOf(task) };
  const state = stateOf(task);
  if (state === 'FAILED') return { ...head, error: errorOf(task) };
  if (state === 'COMPLETED' || state === 'TOOL_ERROR')
    return {
      ...head,
      result: await resultOfTask(deps.gateway, exchange, await toolOf(deps, exchange, task), task),
    };
  const question = state === 'INPUT_REQUIRED' ? await questionOf(deps, exchange, task.id) : undefined;
  if (question === undefined) return head;
  const params = elicitationOf(question, offered);
  if (params === undefined) return head;
  return { ...head, inputRequests: { [question.requestId]: { method: 'elicitation/create', params } } };
}

/** What answers nothing that is open is ignored, as the extension wants it. */
async function update(
  deps: ServerDeps,
  exchange: ServerExchange,
  task: Task,
  responses: JsonObject,
): Promise<JsonObject> {
  const question = await questionOf(deps, exchange, task.id);
  const response = objectOf(question === undefined ? undefined : responses[question.requestId]);
  if (question !== undefined && Object.keys(response).length > 0)
    await respond(deps, exchange, question.requestId, response);
  return { resultType: 'complete' };
}

/** A task that is over stays as it is; that is no error. */
async function cancel({ gateway }: ServerDeps, exchange: ServerExchange, task: Task): Promise<JsonObject> {
  const path = { task_id: task.id };
  const body = { reason: 'Canceled by the MCP client.' };
  if (!isTerminal(task.status)) await ask<Task>(gateway, 'cancelTask', exchange.call({ path, body }));
  return { resultType: 'complete' };
}

function headOf(task: Task): JsonObject {
  const found = TASK_STATES.encode(stateOf(task));
  return {
    taskId: task.id,
    status: found.known ? found.word : 'working',
    ...(task.status === 'AUTH_REQUIRED' ? { statusMessage: 'The call waits for a permission.' } : {}),
    createdAt: task.created_at,
    lastUpdatedAt: task.updated_at,
    ...BOUNDS,
  };
}

function stateOf({ status, failure }: Task): HarnTaskState {
  return status === 'FAILED' && failure?.code === 'tool_error' ? 'TOOL_ERROR' : status;
}

function errorOf({ id, failure }: Task): JsonObject {
  const message = failure?.message ?? 'The task failed.';
  return { code: codeOfFailure(failure?.code), message, data: { task_id: id, code: failure?.code ?? null } };
}

function missingCapability(): Error {
  const data = { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } };
  const message = 'Declare io.modelcontextprotocol/tasks in the client capabilities of the request.';
  return Object.assign(new Error(message), { code: MCP_ERRORS.missing_capability, data });
}

/** Parameters are read by hand; the SDK wants a schema for methods that it does not know. */
const AS_IT_IS = {
  '~standard': { version: 1, vendor: 'harn-gateway', validate: (value: unknown) => ({ value }) },
} as const;
export const ANY = { params: AS_IT_IS, result: AS_IT_IS } as never;
