import {
  A2A_CONTENT_TYPE,
  AgentCard,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
} from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  restStatusFor,
  toRestErrorBody,
} from '@a2a-js/sdk/errors';
import { type A2ARequestHandler, type ServerCallContext, validateVersion } from '@a2a-js/sdk/server';
import { type Call, callContext, isJson, requestedVersion } from './call.ts';
import { type Reply, streamReply } from './reply.ts';

interface RouteCall {
  readonly handler: A2ARequestHandler;
  readonly call: Call;
  readonly context: ServerCallContext;
  /** The task id in the path, empty where the route has none. */
  readonly taskId: string;
}

interface Route {
  readonly methods: readonly string[];
  readonly path: RegExp;
  readonly run: (route: RouteCall) => Promise<Reply>;
}

/** Spec: A2A 1.0, 11.3. Subscribing is POST in the prose and GET in the proto, so both are taken. */
const ROUTES: readonly Route[] = [
  { methods: ['POST'], path: /^\/message:send$/, run: sendMessage },
  { methods: ['POST'], path: /^\/message:stream$/, run: streamMessage },
  { methods: ['GET'], path: /^\/tasks$/, run: listTasks },
  { methods: ['GET'], path: /^\/tasks\/([^/:]+)$/, run: getTask },
  { methods: ['POST'], path: /^\/tasks\/([^/:]+):cancel$/, run: cancelTask },
  { methods: ['GET', 'POST'], path: /^\/tasks\/([^/:]+):subscribe$/, run: subscribe },
  { methods: ['GET', 'POST', 'DELETE'], path: /^\/tasks\/([^/]+)\/pushNotificationConfigs/, run: noPush },
  { methods: ['GET'], path: /^\/extendedAgentCard$/, run: extendedCard },
];

/** HTTP+JSON of A2A 1.0. `path` in the call is relative to the mount. */
export function restMount(handler: A2ARequestHandler): (call: Call) => Promise<Reply> {
  return async (call) => {
    const route = ROUTES.find((row) => row.methods.includes(call.method) && row.path.test(call.path));
    if (route === undefined) return { status: 404, body: notFound(call) };
    const taskId = decodeURIComponent(route.path.exec(call.path)?.[1] ?? '');
    try {
      validateVersion(requestedVersion(call), await handler.getAgentCard(), 'HTTP+JSON');
      return await route.run({ handler, call, context: callContext(call), taskId });
    } catch (error) {
      return failure(error);
    }
  };
}

async function sendMessage({ handler, call, context }: RouteCall): Promise<Reply> {
  const answer = await handler.sendMessage(SendMessageRequest.fromJSON(bodyOf(call)), context);
  return ok('messageId' in answer ? { message: Message.toJSON(answer) } : { task: Task.toJSON(answer) });
}

async function streamMessage({ handler, call, context }: RouteCall): Promise<Reply> {
  return stream(handler.sendMessageStream(SendMessageRequest.fromJSON(bodyOf(call)), context));
}

async function subscribe({ handler, context, taskId }: RouteCall): Promise<Reply> {
  return stream(handler.resubscribe({ tenant: '', id: taskId }, context));
}

async function getTask({ handler, call, context, taskId }: RouteCall): Promise<Reply> {
  const historyLength = numberOf(call, 'historyLength');
  const request = { tenant: '', id: taskId, ...(historyLength === undefined ? {} : { historyLength }) };
  return ok(Task.toJSON(await handler.getTask(request, context)));
}

async function cancelTask({ handler, context, taskId }: RouteCall): Promise<Reply> {
  return ok(Task.toJSON(await handler.cancelTask({ tenant: '', id: taskId, metadata: undefined }, context)));
}

async function listTasks({ handler, call, context }: RouteCall): Promise<Reply> {
  const request = ListTasksRequest.fromJSON({
    ...Object.fromEntries(call.query),
    pageSize: numberOf(call, 'pageSize'),
    historyLength: numberOf(call, 'historyLength'),
    includeArtifacts: call.query.get('includeArtifacts') === 'true',
  });
  const listed = ListTasksResponse.toJSON(await handler.listTasks(request, context)) as object;
  return ok({ tasks: [], nextPageToken: '', totalSize: 0, ...listed });
}

async function noPush(): Promise<Reply> {
  throw new PushNotificationNotSupportedError();
}

async function extendedCard({ handler, context }: RouteCall): Promise<Reply> {
  return ok(AgentCard.toJSON(await handler.getAuthenticatedExtendedAgentCard({ tenant: '' }, context)));
}

function stream(results: AsyncGenerator<StreamResponse>): Promise<Reply> {
  const lateError = (error: unknown) => toRestErrorBody(error, restStatusFor(error));
  return streamReply(encoded(results), failure, lateError);
}

async function* encoded(results: AsyncGenerator<StreamResponse>): AsyncGenerator<unknown> {
  for await (const result of results) yield StreamResponse.toJSON(result);
}

function bodyOf(call: Call): unknown {
  if (!isJson(call)) throw new ContentTypeNotSupportedError('Send application/a2a+json or application/json.');
  try {
    return JSON.parse(call.body.toString('utf8'));
  } catch {
    throw new RequestMalformedError('The body is not JSON.');
  }
}

function numberOf(call: Call, name: string): number | undefined {
  const value = call.query.get(name);
  return value === null ? undefined : Number(value);
}

function ok(body: unknown): Reply {
  return { status: 200, body, contentType: A2A_CONTENT_TYPE };
}

function failure(error: unknown): Reply {
  const status = restStatusFor(error);
  return { status, body: toRestErrorBody(error, status), contentType: A2A_CONTENT_TYPE };
}

function notFound(call: Call): object {
  return { error: { code: 404, status: 'NOT_FOUND', message: `No route ${call.method} ${call.path}.` } };
}
