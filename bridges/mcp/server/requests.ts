import type { JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { ServerDeps, ServerExchange, ServerMethods } from '#protocol-server.ts';
import type { Skill } from '#resources/discovery/schema.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { ask } from '../../wire/gateway-calls.ts';
import { sha256 } from '../../wire/sha256.ts';
import { resultOfTask, waitingResult } from './call-result.ts';
import { untilStandstill } from './follow.ts';
import { type OfferedTool, offeredTools, toolName } from './offered-tools.ts';

/** What a client asked on its connection, in either era. */
export interface ClientCall {
  exchange: ServerExchange;
  /** The client's own name of the Session that its calls share. */
  sessionKey: string;
  /** Whether the client has a session of its own on this connection. */
  hasSession: boolean;
  signal: AbortSignal;
  progress(report: JsonObject, eventId: string): void;
  /** A line that the server logged. */
  log?(line: JsonObject, eventId: string): void;
  /** Whether another request follows the Task too. Default: none does. */
  isFollowed?(): boolean;
}

/** Asks the client, and resolves when its answer is given; undefined for a client that cannot be asked this one. */
type AskClient = (question: Question) => Promise<void> | undefined;

/** An elicitation as MCP asks it. */
export interface Question {
  requestId: string;
  message: string;
  requestedSchema: JsonObject;
  /** A page that the person has to open, in place of a form. */
  url?: string;
}

/** The parameters of `elicitation/create`; undefined when the client does not offer to ask so. */
export function elicitationOf(
  { requestId, message, requestedSchema, url }: Question,
  offered: unknown,
): JsonObject | undefined {
  if (offered === undefined) return undefined;
  if (url === undefined) return { mode: 'form', message, requestedSchema };
  const isOffered = objectOf(offered)['url'] !== undefined;
  return isOffered ? { mode: 'url', message, url, elicitationId: requestId } : undefined;
}

const ASK = 'ask_';

/** A question as a request of ours; its id alone says what the answer is for. */
export function askOf({ requestId }: Question, params: JsonObject): JSONRPCRequest {
  return { jsonrpc: '2.0', id: ASK + requestId, method: 'elicitation/create', params };
}

/** The permission request that an answer of a client is for; undefined for the answer to anything else. */
export function askedBy(id: RequestId): string | undefined {
  return typeof id === 'string' && id.startsWith(ASK) ? id.slice(ASK.length) : undefined;
}

/**
 * Everything this caller may call: nothing without the scope to submit Tasks, and nothing that the policy of the Workspace
 * its Tasks run in refuses. Asked anew each time, because servers come and go.
 */
async function toolsFor(
  deps: ServerDeps,
  exchange: ServerExchange,
  may: typeof mayRun = mayRun,
): Promise<OfferedTool[]> {
  if (!maySubmit(deps, exchange)) return [];
  return (await toolsOfAll(deps, exchange)).filter((tool) => may(deps, exchange, tool));
}

/** Who calls what is halted is told why, by the Task that is refused, which is on record. */
function mayCall(deps: ServerDeps, exchange: ServerExchange, tool: OfferedTool): boolean {
  return mayRun(deps, exchange, tool) || deps.haltOf(tool.judged.route) !== undefined;
}

function mayRun(
  deps: ServerDeps,
  exchange: ServerExchange,
  { judged: { route, sideEffect } }: OfferedTool,
): boolean {
  const { defaultWorkspace } = exchange.caller();
  return !deps.refuses(defaultWorkspace, route, sideEffect);
}

function maySubmit({ gateway }: ServerDeps, exchange: ServerExchange): boolean {
  try {
    gateway.admit('submitTask', exchange.call());
    return true;
  } catch (error) {
    if (ProtocolError.from(error).code === 'permission_denied') return false;
    throw error;
  }
}

async function toolsOfAll(deps: ServerDeps, exchange: ServerExchange): Promise<OfferedTool[]> {
  const skills: Skill[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: '200', ...(cursor === undefined ? {} : { cursor }) };
    const page = await ask<{ data: Skill[]; page: { next_cursor: string | null } }>(
      deps.gateway,
      'listSkills',
      exchange.call({ query }),
    );
    skills.push(...page.data);
    cursor = page.page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return offeredTools(skills, deps.agents());
}

export async function findTool(
  deps: ServerDeps,
  exchange: ServerExchange,
  name: string,
): Promise<OfferedTool> {
  const found =
    (await skillNamed(deps, exchange, name)) ??
    (await toolsFor(deps, exchange, mayCall)).find(({ definition }) => definition.name === name);
  if (found !== undefined) return found;
  // Only who may call tools learns whether they will come.
  const awaited = deps.agents().find(({ id, description }) => !description && name.startsWith(`${id}__`));
  if (awaited !== undefined && maySubmit(deps, exchange)) {
    if (deps.haltOf(awaited.route) !== undefined) return unknownTool(`skill:${name}`);
    const message = `${awaited.route} has not been reached yet; its tools are not known. Call again in a moment.`;
    throw new ProtocolError('service_unavailable', message, { param: 'params.name', retryAfterSeconds: 1 });
  }
  const message = `Unknown tool: ${name.slice(0, 128)}. tools/list names the tools.`;
  throw new ProtocolError('resource_not_found', message, { param: 'params.name' });
}

/** The tool that the Task is a call of; one that is gone by now has no more than its route. */
export async function toolOf(
  deps: ServerDeps,
  exchange: ServerExchange,
  { metadata }: Task,
): Promise<OfferedTool> {
  const route = String(metadata['route']);
  const found = (await toolsFor(deps, exchange)).find((tool) => tool.route === route);
  if (found !== undefined) return found;
  return unknownTool(route);
}

function unknownTool(route: string): OfferedTool {
  return { kind: 'skill', route, definition: { name: route }, judged: { route, sideEffect: 'destructive' } };
}

/** Most tools are named as their Skill, which is found without reading all others. */
async function skillNamed(
  deps: ServerDeps,
  exchange: ServerExchange,
  name: string,
): Promise<OfferedTool | undefined> {
  if (name.startsWith('ask_') || toolName(name) !== name || !maySubmit(deps, exchange)) return undefined;
  const call = exchange.call({ path: { skill_id: name } });
  const skill = await ask<Skill>(deps.gateway, 'getSkill', call).catch((error: unknown) => {
    if (ProtocolError.from(error).code === 'resource_not_found') return undefined;
    throw error;
  });
  return offeredTools(skill === undefined ? [] : [skill], []).find((tool) => mayCall(deps, exchange, tool));
}

/** Follows a Task to its result; what it asks meanwhile goes to the client, where it can be asked. */
export async function finishCall(
  deps: ServerDeps,
  call: ClientCall,
  tool: OfferedTool,
  taskId: string,
  askClient: AskClient,
): Promise<JsonObject> {
  let beyond: string | undefined;
  for (;;) {
    const standstill = await stand(deps, call, taskId, beyond);
    const task = await readTask(deps, call.exchange, taskId);
    if (isTerminal(standstill.status)) return resultOfTask(deps.gateway, call.exchange, tool, task);
    beyond = standstill.requestId;
    const open = await askAll(deps, call, taskId, beyond, askClient);
    if (open !== undefined) return waitingResult(task, beyond, open.url);
  }
}

/** Asks until nothing is open any more, or somebody else has answered. Gives what cannot be asked here. */
async function askAll(
  deps: ServerDeps,
  call: ClientCall,
  taskId: string,
  beyond: string | undefined,
  askClient: AskClient,
): Promise<Partial<Question> | undefined> {
  let isFirst = true;
  for (;;) {
    const question = await questionOf(deps, call.exchange, taskId);
    if (question === undefined) return isFirst ? {} : undefined;
    const asked = askClient(question);
    if (asked === undefined) return question;
    isFirst = false;
    const others = new AbortController();
    const answeredElsewhere = stand(deps, call, taskId, beyond, others.signal);
    // Who is not waited for any more says nothing.
    answeredElsewhere.catch(() => undefined);
    const won = await Promise.race([asked.then(() => 'asked'), answeredElsewhere.then(() => 'moved')]);
    others.abort();
    if (won === 'moved') return undefined;
  }
}

/** Follows a Task until it is over or waits. A client that goes away takes its call back. */
export async function stand(
  deps: ServerDeps,
  call: ClientCall,
  taskId: string,
  beyond: string | undefined,
  until?: AbortSignal,
) {
  const { exchange } = call;
  const signal = until === undefined ? call.signal : AbortSignal.any([call.signal, until]);
  try {
    return await untilStandstill(deps.gateway, exchange, taskId, call, signal, { beyond });
  } catch (error) {
    if (call.signal.aborted && !call.isFollowed?.()) {
      const path = { task_id: taskId };
      const body = { reason: 'Canceled by the MCP client.' };
      await deps.gateway.call('cancelTask', exchange.call({ path, body })).catch(() => undefined);
    }
    throw error;
  }
}

export function readTask({ gateway }: ServerDeps, exchange: ServerExchange, taskId: string): Promise<Task> {
  return ask<Task>(gateway, 'getTask', exchange.call({ path: { task_id: taskId } }));
}

async function requestsOf(
  { gateway }: ServerDeps,
  exchange: ServerExchange,
  taskId: string,
): Promise<PermissionRequest[]> {
  const call = exchange.call({ path: { task_id: taskId }, query: { limit: '200' } });
  return (await ask<{ data: PermissionRequest[] }>(gateway, 'listTaskPermissionRequests', call)).data;
}

/** Whether a Task has asked this, be it answered or not. */
export async function hasRequest(
  deps: ServerDeps,
  exchange: ServerExchange,
  taskId: string,
  requestId: string,
): Promise<boolean> {
  return (await requestsOf(deps, exchange, taskId)).some(({ id }) => id === requestId);
}

/** An elicitation may be answered by whoever called; a permission is somebody else's to give. */
export async function questionOf(
  deps: ServerDeps,
  exchange: ServerExchange,
  taskId: string,
): Promise<Question | undefined> {
  const data = await requestsOf(deps, exchange, taskId);
  const open = data.filter(({ status }) => status === 'pending').at(-1);
  if (open === undefined || open.request.kind !== 'elicitation') return undefined;
  const { id: requestId, request } = open;
  const schema = objectOf(request.requested_schema);
  const isForm = schema['type'] === 'object';
  const { message, url } = request;
  const page = url === undefined ? {} : { url };
  return { requestId, message, requestedSchema: isForm ? schema : PLAIN_ANSWER, ...page };
}

const PLAIN_ANSWER: JsonObject = {
  type: 'object',
  properties: { answer: { type: 'string', description: 'The answer.' } },
  required: ['answer'],
};

/** Hands an ElicitResult over as the answer of a permission request. */
export async function respond(
  { gateway }: ServerDeps,
  exchange: ServerExchange,
  requestId: string,
  { action, content }: JsonObject,
): Promise<void> {
  const given = objectOf(content);
  const isAccepted = action === 'accept';
  const isPlain = Object.keys(given).length === 1 && typeof given['answer'] === 'string';
  const body: JsonObject = {
    approved: isAccepted,
    ...(isAccepted ? { answer: isPlain ? (given['answer'] ?? '') : given } : {}),
    ...(isAccepted ? {} : { reason: action === 'cancel' ? 'canceled' : 'declined' }),
  };
  const call = exchange.call({ path: { request_id: requestId }, body });
  await gateway.call('respondPermissionRequest', call);
}

/** What each method of MCP is in operations of the gateway; it gives the scope. Methods of the wire itself have none. */
export const METHODS = {
  'tools/list': 'listSkills',
  'tools/call': 'submitTask',
  'resources/list': 'listArtifacts',
  'resources/templates/list': 'listSkills',
  'resources/read': 'getArtifact',
  'tasks/get': 'getTask',
  'tasks/update': 'respondPermissionRequest',
  'tasks/cancel': 'cancelTask',
} as const satisfies ServerMethods<string>;

export const SERVER_NAME = 'harn-gateway';

export const INSTRUCTIONS =
  'Tools of many servers, named <server>__<tool>, and agents, named ask_<agent>. Every call is a recorded Task; ' +
  'its id is in _meta of the result, and harn://tasks/{id} reads it.';

const IDEMPOTENCY_KEY = 'dev.harn-gateway/idempotency-key';
const PERSONA = 'dev.harn-gateway/persona';

/** Submits a call as a Task. `_meta` may carry an idempotency key, and name the Persona that the call is made for. */
export async function submitCall(
  { gateway }: ServerDeps,
  { exchange, sessionKey, hasSession }: ClientCall,
  tool: OfferedTool,
  params: JsonObject,
): Promise<Task> {
  const input = objectOf(params['arguments']);
  const meta = objectOf(params['_meta']);
  const key = meta[IDEMPOTENCY_KEY];
  const keyed = typeof key === 'string' ? { idempotencyKey: key } : {};
  const session = { workspace_id: exchange.caller().defaultWorkspace };
  const saidAgain = {
    input: { role: 'user', parts: [partOf(tool, input, callIdOf(exchange.requestId, keyed))] },
    metadata: { route: tool.route },
    ...personaOf(meta),
    session,
  };
  const body = {
    ...saidAgain,
    session: {
      ...session,
      key: sessionKey,
      // Tools run side by side, as on a connection to their server; an agent hears one thing after the other in a session.
      parallel: tool.kind === 'skill' || !hasSession,
      metadata: { mcp: {} },
    },
  } as unknown as JsonObject;
  // A client whose gateway went comes back with a session of its own, which is another one then.
  return ask<Task>(gateway, 'submitTask', exchange.call({ body, saidAgain, ...keyed }));
}

/** Its tier, tools and quotas hold for the call, as for a Task that names it in any other way. */
function personaOf(meta: JsonObject): { persona_id?: string } {
  const persona = meta[PERSONA];
  if (persona === undefined) return {};
  if (typeof persona === 'string') return { persona_id: persona };
  throw new ProtocolError('invalid_request', `_meta: ${PERSONA} must be the id of a Persona.`, {
    param: 'params._meta',
  });
}

/** In the shape that model providers use. A call that is sent again with its key is the same call, not another one. */
function callIdOf(requestId: string, { idempotencyKey: key }: { idempotencyKey?: string }): string {
  if (key === undefined) return `call_${requestId.slice(requestId.indexOf('_') + 1)}`;
  return `call_${sha256(key).slice(0, 26)}`;
}

function partOf(tool: OfferedTool, input: JsonObject, tool_call_id: string): JsonObject {
  if (tool.kind === 'agent') {
    const { message } = input;
    if (typeof message === 'string') return { type: 'text', text: message, visibility: 'public' };
    throw new ProtocolError('invalid_request', 'arguments.message: must be a text.', {
      param: 'params.arguments.message',
    });
  }
  const name = tool.route.slice('skill:'.length);
  return { type: 'tool_call', tool_call_id, name, input, visibility: 'public' };
}

/** Tools of one page of a list. */
const PAGE = 250;

/** One page of what this caller may call, by name. A cursor outlives changes of the list: it is the last name that was given. */
export async function listTools(
  deps: ServerDeps,
  exchange: ServerExchange,
  cursor: unknown,
): Promise<JsonObject> {
  return pageOf(await toolsFor(deps, exchange), cursor, PAGE);
}

/** Throws `invalid_request` for a cursor that this list never gave. */
export function pageOf(tools: readonly OfferedTool[], cursor: unknown, size: number): JsonObject {
  const after = cursor === undefined ? '' : nameOf(cursor);
  const rest = tools.map(({ definition }) => definition).filter(({ name }) => name > after);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  const hasMore = rest.length > page.length && last !== undefined;
  return {
    tools: page,
    ...(hasMore ? { nextCursor: Buffer.from(last.name).toString('base64url') } : {}),
  };
}

function nameOf(cursor: unknown): string {
  const name = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('utf8') : '';
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  throw new ProtocolError(
    'invalid_request',
    'params.cursor: must be the nextCursor of the page before. Leave it out for the first page.',
    { param: 'params.cursor' },
  );
}
