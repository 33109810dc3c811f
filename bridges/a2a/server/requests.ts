import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { isBlocked, isTerminal } from '#protocol/task-states.ts';
import type { ServerDeps, ServerMethods, ServerRequest } from '#protocol-server.ts';
import type { Task } from '#resources/task/schema.ts';
import { type Encoding, encodeMessage, encodeTask, streamEvent } from '../../../mappings/a2a/encode-task.ts';
import { refusal } from '../../../mappings/a2a/errors-out.ts';
import type { A2aOperation } from '../../../mappings/a2a/operations.ts';
import {
  cardRequest,
  fromProto03,
  fromV1,
  fromV03,
  type ListRequest,
  listRequest,
  type SendRequest,
  sendRequestProto03,
  sendRequestV1,
  sendRequestV03,
  type TaskRequest,
  taskRequest,
} from '../../../mappings/a2a/requests.ts';
import { type HarnState, statusOf } from '../../../mappings/a2a/states.ts';
import type { TaskView } from '../../../mappings/a2a/task-view.ts';
import { placedBelow, validate } from '../../../mappings/a2a/validate.ts';
import { ask } from '../../wire/gateway-calls.ts';
import { type Asking, noAgent, ownTask } from './asking.ts';
import { isAtHand, NOTHING, readContents, restored, type Wanted, wantedByTask } from './contents.ts';
import { pageTokenFault, refusalOf } from './faults.ts';
import { follow, type Start, TaskStream, Waiting } from './follow.ts';
import { contextIdOf, isSessionId, readyAnswer, type Taken, takeMessage } from './messages.ts';
import {
  createPushConfig,
  deletePushConfig,
  getPushConfig,
  listPushConfigs,
  setPushConfig,
} from './push-configs.ts';
import { TaskViews } from './task-views.ts';

/** Runs methods, whichever binding they came by. */
interface MethodDeps {
  deps: ServerDeps;
  handler: A2aHandler;
  /** How the binding writes a stream. */
  streaming: Streaming;
}

/** The answer of a method, or nothing when it answered with a stream. */
type Method = (deps: MethodDeps, asking: Asking, params: JsonObject) => Promise<JsonValue | undefined>;

export function runMethod(
  name: A2aOperation,
  deps: MethodDeps,
  asking: Asking,
  params: JsonObject,
): Promise<JsonValue | undefined> {
  refuseTenant(params);
  return ROWS[name](deps, asking, params);
}

const ROWS: Readonly<Record<A2aOperation, Method>> = {
  SendMessage: ({ handler }, asking, params) => handler.send(asking, sendRequest(asking, params)),
  SendStreamingMessage: async ({ handler, streaming }, asking, params) => {
    await handler.stream(asking, sendRequest(asking, params), streaming);
    return undefined;
  },
  GetTask: ({ handler }, asking, params) => handler.get(asking, validate(taskRequest, params)),
  ListTasks: ({ handler }, asking, params) => handler.list(asking, validate(listRequest, params)),
  CancelTask: ({ handler }, asking, params) => handler.cancel(asking, validate(taskRequest, params)),
  SubscribeToTask: async ({ handler, streaming }, asking, params) => {
    await handler.subscribe(asking, validate(taskRequest, params), streaming);
    return undefined;
  },
  CreateTaskPushNotificationConfig: ({ deps }, asking, params) => createPushConfig(deps, asking, params),
  GetTaskPushNotificationConfig: ({ deps }, asking, params) => getPushConfig(deps, asking, params),
  ListTaskPushNotificationConfigs: ({ deps }, asking, params) => listPushConfigs(deps, asking, params),
  DeleteTaskPushNotificationConfig: ({ deps }, asking, params) => deletePushConfig(deps, asking, params),
  GetExtendedAgentCard: async ({ deps }, asking, params) => {
    validate(cardRequest, params);
    return cardOf(deps, asking);
  },
};

/** The signed card, to callers only, in the members of their version; there is nothing that only some of them may see. */
function cardOf(deps: ServerDeps, { to, negotiated }: Asking): JsonObject {
  const form = negotiated.version === '1.0' ? '1.0' : 'superset';
  const card = to.persona === undefined ? deps.card(to.segment, form) : deps.personaCard(to.persona, form);
  if (card === undefined) throw noAgent();
  return JSON.parse(card.text) as JsonObject;
}

function sendRequest({ negotiated }: Asking, params: JsonObject): SendRequest {
  if (negotiated.isProto03) return fromProto03(validate(sendRequestProto03, params));
  return negotiated.version === '1.0'
    ? fromV1(validate(sendRequestV1, params))
    : fromV03(validate(sendRequestV03, params));
}

/** No interface of our cards names a tenant, and a client may only send the one of the card. */
function refuseTenant({ tenant }: JsonObject): void {
  if (tenant === undefined || tenant === null || tenant === '') return;
  throw refusal('InvalidParams', 'The agent card names no tenant. Leave it out.', 'tenant');
}

/** What each A2A method is in operations of the gateway: the caller needs the scope of that operation. */
export const METHODS = {
  SendMessage: 'submitTask',
  SendStreamingMessage: 'submitTask',
  GetTask: 'getTask',
  ListTasks: 'listTasks',
  CancelTask: 'cancelTask',
  SubscribeToTask: 'streamTaskEvents',
  CreateTaskPushNotificationConfig: 'setPushConfig',
  GetTaskPushNotificationConfig: 'getPushConfig',
  ListTaskPushNotificationConfigs: 'listPushConfigs',
  DeleteTaskPushNotificationConfig: 'deletePushConfig',
  GetExtendedAgentCard: 'listSkills',
} as const satisfies ServerMethods<A2aOperation>;

/** The method that a notification runs: a message is sent and not waited for, and nothing is read that nobody gets. */
const NOTIFIED: Readonly<Record<A2aOperation, A2aOperation | undefined>> = {
  SendMessage: 'SendMessage',
  SendStreamingMessage: 'SendMessage',
  CancelTask: 'CancelTask',
  CreateTaskPushNotificationConfig: 'CreateTaskPushNotificationConfig',
  DeleteTaskPushNotificationConfig: 'DeleteTaskPushNotificationConfig',
  GetTask: undefined,
  ListTasks: undefined,
  SubscribeToTask: undefined,
  GetTaskPushNotificationConfig: undefined,
  ListTaskPushNotificationConfigs: undefined,
  GetExtendedAgentCard: undefined,
};

/** Does what a request without an id asks for. Spec: JSON-RPC 2.0, 4.1. */
export async function takeNotification(
  name: A2aOperation,
  deps: MethodDeps,
  asking: Asking,
  params: JsonObject,
): Promise<void> {
  const done = NOTIFIED[name];
  const sent = params['configuration'];
  const { return_immediately: _, ...given } = isObject(sent) ? sent : {};
  const configuration = { ...given, returnImmediately: true, blocking: false };
  const members = done === 'SendMessage' ? { ...params, configuration } : params;
  if (done !== undefined) await runMethod(done, deps, asking, members);
}

/** How a binding writes a stream. */
export interface Streaming {
  headers: readonly string[];
  frame(event: JsonObject, id: string): Buffer;
  /** Finished frame with an error that comes after the stream began. */
  failureFrame(error: ProtocolError): Buffer;
}

/** The methods of A2A over the gateway port. Tasks are the gateway's own: what is kept here is how they were read last. */
export class A2aHandler {
  readonly #deps: ServerDeps;
  readonly #waiting = new Waiting();
  readonly #views: TaskViews;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    this.#views = new TaskViews(deps.gateway);
  }

  /** SendMessage: the Task when it is settled, or at once; the Message where that is the whole answer. */
  async send(asking: Asking, request: SendRequest): Promise<JsonObject> {
    const { exchange, negotiated } = asking;
    const { gateway } = this.#deps;
    const { task, messageId } = await this.#take(asking, request);
    const view = request.waits
      ? await this.#waiting.until(gateway, exchange, task.id, { after: 'message', id: messageId })
      : await this.#views.read(exchange, task.id);
    const refused = request.waits ? refusalOf(view) : undefined;
    if (refused !== undefined) throw refused;
    if (request.waits && view.isMessageOnly) return this.#message(asking, task, view);
    const encoded = await this.#encode(asking, task, view, request.historyLength, true);
    return negotiated.version === '1.0' ? { task: encoded } : encoded;
  }

  /** SendStreamingMessage. Resolves once the stream has begun; rejects with what takes its place. */
  async stream(asking: Asking, request: SendRequest, streaming: Streaming): Promise<void> {
    const { task, messageId } = await this.#take(asking, request);
    // Whether the agent begins a turn with this message, and so with a first word of its own.
    const begins = request.taskId === undefined ? task.status === 'WORKING' : isBlocked(task.status);
    const waitsForWord = begins && (task.assigned_agent_id ?? '').startsWith('a2a:');
    await this.#follow(asking, task, { after: 'message', id: messageId }, streaming, {
      waitsForWord,
      ...request,
    });
  }

  /**
   * A push config that may not be refuses the message with it: no agent works for a caller who was refused. A message that may
   * not be leaves no config behind. The config of a new Task holds from the beginning, as the agent may be quicker than this.
   */
  async #take(asking: Asking, request: SendRequest): Promise<Taken> {
    const { exchange, to, negotiated } = asking;
    const { push, taskId } = request;
    const take = () => takeMessage(this.#deps.gateway, exchange, to, request, negotiated);
    if (push === undefined) return take();
    if (taskId !== undefined) {
      const answer = await readyAnswer(this.#deps.gateway, exchange, to, request, taskId);
      await setPushConfig(this.#deps, asking, taskId, push);
      return answer();
    }
    const { config, member } = push;
    await this.#deps.checkReceiver(config.url).catch((error: unknown) => {
      throw placedBelow(member, error);
    });
    const taken = await take();
    await setPushConfig(this.#deps, asking, taken.task.id, {
      config: { ...config, from: 'beginning' },
      member,
    });
    return taken;
  }

  /** SubscribeToTask: from now on, or from the event that `Last-Event-ID` names. */
  async subscribe(asking: Asking, { id }: TaskRequest, streaming: Streaming): Promise<void> {
    const task = await ownTask(this.#deps.gateway, asking, id);
    const cursor = asking.exchange.call().lastEventId;
    if (cursor !== undefined) await this.#checkCursor(asking, id, cursor);
    if (cursor === undefined && isTerminal(task.status))
      throw refusal('UnsupportedOperation', 'The task is over. Read it with GetTask.', 'id');
    const start: Start = cursor === undefined ? { after: 'history' } : { after: 'event', id: cursor };
    await this.#follow(asking, task, start, streaming, { waitsForWord: false, historyLength: undefined });
  }

  async get(asking: Asking, { id, historyLength }: TaskRequest): Promise<JsonObject> {
    const task = await ownTask(this.#deps.gateway, asking, id);
    return this.#encode(asking, task, await this.#views.read(asking.exchange, id), historyLength, true);
  }

  async list(asking: Asking, request: ListRequest): Promise<JsonObject> {
    const { exchange, to } = asking;
    const { contextId, status, pageSize, pageToken, statusTimestampAfter, includeArtifacts } = request;
    const query: Record<string, string> = {
      sort: 'status_time',
      limit: String(pageSize),
      ...(to.persona === undefined ? { route: to.agent?.route ?? '' } : { persona_id: to.persona.id }),
      ...(pageToken === undefined ? {} : { cursor: pageToken }),
      ...(statusTimestampAfter === undefined ? {} : { status_since: statusTimestampAfter }),
      ...(contextId === undefined ? {} : contextFilter(contextId)),
      ...(status === undefined ? {} : statusFilter(status)),
    };
    const nothing = { tasks: [], nextPageToken: '', pageSize, totalSize: 0 };
    const found = await this.#page(exchange, query);
    if (found === undefined) return nothing;
    const tasks: JsonObject[] = [];
    // One after the other: a page is many reads, and others wait too.
    for (const task of found.data) {
      const view = await this.#views.read(exchange, task.id);
      tasks.push(await this.#encode(asking, task, view, request.historyLength ?? 0, includeArtifacts));
    }
    return { tasks, nextPageToken: found.next_cursor ?? '', pageSize, totalSize: found.total };
  }

  async cancel(asking: Asking, { id, metadata }: TaskRequest): Promise<JsonObject> {
    await ownTask(this.#deps.gateway, asking, id);
    const reason = metadata?.['reason'];
    const body = typeof reason === 'string' ? { reason: reason.slice(0, 2_000) } : undefined;
    const call = asking.exchange.call({ path: { task_id: id }, body });
    const task = await ask<Task>(this.#deps.gateway, 'cancelTask', call).catch((error: unknown) => {
      throw error instanceof ProtocolError && error.code === 'conflict'
        ? refusal('TaskNotCancelable', 'The task is over already; there is nothing to cancel.', 'id')
        : error;
    });
    return this.#encode(asking, task, await this.#views.read(asking.exchange, id), undefined, true);
  }

  drain(): void {
    this.#waiting.drain();
  }

  /** The stream folds the Task from its beginning, so the gateway is asked about the cursor apart from it. */
  async #checkCursor({ exchange }: Asking, taskId: string, cursor: string): Promise<void> {
    const query = { limit: '1', after_event_id: cursor };
    const call = exchange.call({ path: { task_id: taskId }, query });
    await ask(this.#deps.gateway, 'listTaskEvents', call).catch((error: unknown) => {
      const isCursor = error instanceof ProtocolError && error.param === 'after_event_id';
      throw isCursor
        ? refusal('InvalidParams', 'Send the id of an event of this task.', 'Last-Event-ID')
        : error;
    });
  }

  async #page(exchange: ServerRequest, query: Record<string, string>): Promise<TaskPage | undefined> {
    try {
      return await ask<TaskPage>(this.#deps.gateway, 'listTasks', exchange.call({ query }));
    } catch (error) {
      if (error instanceof ProtocolError && error.code === 'resource_not_found') return undefined;
      throw pageTokenFault(error);
    }
  }

  async #follow(
    asking: Asking,
    task: Task,
    start: Start,
    streaming: Streaming,
    { waitsForWord, historyLength }: { waitsForWord: boolean; historyLength: number | undefined },
  ): Promise<void> {
    const { exchange } = asking;
    const { gateway, timers } = this.#deps;
    const stream = exchange.openStream({
      isResumed: false,
      headers: streaming.headers,
      failureFrame: (error) => streaming.failureFrame(error),
    });
    const follower = new TaskStream({
      stream,
      frame: streaming.frame,
      encoding: encodingOf(asking, task),
      historyLength,
      read: (wanted) => this.#contents(exchange, wanted),
      waitsForWord,
      closesWhenSettled: start.after === 'message',
      after: (delayMs, run) => timers.after(delayMs, run),
    });
    try {
      follower.attach(await follow(gateway, exchange, task.id, start, follower));
      await follower.ready;
    } catch (error) {
      if (!stream.hasStarted) stream.discard();
      throw error;
    }
  }

  #contents(exchange: ServerRequest, wanted: Wanted) {
    return readContents(this.#deps.gateway, () => exchange.call(), wanted);
  }

  async #message(asking: Asking, task: Task, view: TaskView): Promise<JsonObject> {
    const message = view.status.message ?? view.history.at(-1);
    if (message === undefined) throw new Error('a Task that is a Message has none');
    const wanted = { messages: [message], artifacts: [] };
    const found = isAtHand(wanted) ? NOTHING : await this.#contents(asking.exchange, wanted);
    const encoding = { ...encodingOf(asking, task), ...found };
    const { taskId: _, ...body } = encodeMessage(restored(message, found), encoding);
    return asking.negotiated.version === '1.0' ? streamEvent('message', encoding, body) : body;
  }

  async #encode(
    asking: Asking,
    task: Task,
    view: TaskView,
    historyLength: number | undefined,
    artifacts: boolean,
  ): Promise<JsonObject> {
    const wanted = wantedByTask(view);
    const found = isAtHand(wanted) ? NOTHING : await this.#contents(asking.exchange, wanted);
    const whole = view.copy();
    whole.restore((message) => restored(message, found));
    return encodeTask(whole, { ...encodingOf(asking, task), ...found }, { historyLength, artifacts });
  }
}

interface TaskPage {
  data: Task[];
  next_cursor: string | null;
  total: number;
}

function encodingOf({ negotiated }: Asking, task: Task): Omit<Encoding, 'bytes' | 'parts'> {
  const { version, extended } = negotiated;
  return { version, extended, taskId: task.id, contextId: contextIdOf(task) };
}

/** A context id of ours names a Session, any other one is a key of the caller's own. */
function contextFilter(contextId: string): Record<string, string> {
  return isSessionId(contextId) ? { session_id: contextId } : { session_key: contextId };
}

function statusFilter(state: HarnState): Record<string, string> {
  const status = statusOf(state);
  return { status, ...(status === 'FAILED' ? { rejected: String(state === 'REJECTED') } : {}) };
}
