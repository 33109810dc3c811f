import { CLIENT_CAPABILITIES_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server';
import type { FaceDeps, FaceExchange } from '#face.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { Task } from '#resources/task/schema.ts';
import { codeOfFailure, MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import { TASKS_EXTENSION } from '../../../mappings/mcp/revisions.ts';
import { type HarnTaskState, TASK_STATES } from '../../../mappings/mcp/task-states.ts';
import { ask } from '../../wire/gateway-calls.ts';
import { objectOf } from '../object-of.ts';
import { resultOfTask } from './call-result.ts';
import { elicitationOf, questionOf, readTask, respond, toolOf } from './requests.ts';

/** Tasks are kept by the retention of the gateway and not for a time that begins with them. */
const BOUNDS = { ttlMs: null, pollIntervalMs: 1_000 } as const;

/** Whether this request says that its client knows tasks. */
export function declaresTasks(context: ServerContext): boolean {
  return TASKS_EXTENSION in objectOf(capabilitiesOf(context)['extensions']);
}

/** What the client of this request offers. */
export function capabilitiesOf({ mcpReq }: ServerContext): JsonObject {
  return objectOf(objectOf(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY]);
}

/** A CreateTaskResult: the Task is durable, and goes on without its client. The SDK wants a content of every result. */
export function createTaskResult(task: Task): JsonObject {
  return { resultType: 'task', content: [], ...headOf(task) };
}

type Answer = (
  method: (params: JsonObject, context: ServerContext) => Promise<JsonObject>,
) => (params: JsonObject, context: ServerContext) => Promise<JsonObject>;

/** The id of a task is that of the durable Task. Serves `tasks/get`, `tasks/update` and `tasks/cancel`. `answer` turns errors into those of the wire. */
export function serveTasks(server: Server, deps: FaceDeps, exchange: FaceExchange, answer: Answer): void {
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
  deps: FaceDeps,
  exchange: FaceExchange,
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
  deps: FaceDeps,
  exchange: FaceExchange,
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
async function cancel({ gateway }: FaceDeps, exchange: FaceExchange, task: Task): Promise<JsonObject> {
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
