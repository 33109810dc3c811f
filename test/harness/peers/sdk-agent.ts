import { createServer, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { AgentCard, type Message, Role, type Task, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import * as sdk03 from 'a2a03';
import * as server03 from 'a2a03/server';
import * as express03 from 'a2a03/server/express';
import express from 'express';
import { closeServer, listenOnLoopback, type Peer, RequestLog } from './peer.ts';

export interface SdkAgentOptions {
  /** What its card says; default true. */
  streaming?: boolean;
  /** `once`: the Task is published when the request has none, as the samples of the SDK do; `always`: as it stands, first. */
  task?: 'once' | 'always';
  /** Between two things it publishes; default 150. */
  pauseMs?: number;
  /** Members put into the card, or instead of those it has. */
  card?: object;
}

export interface SdkAgent extends Peer {
  /** Texts of the messages that its executor was given, in order. */
  readonly executed: readonly string[];
  /** Ids of the tasks that it was told to cancel. */
  readonly canceled: readonly string[];
}

/** What an executor says, free of any version's words. */
type Said =
  | { state: 'working' | 'input-required' | 'completed'; text?: string }
  | { chunk: string; append: boolean };

/** `ask` is answered by a question, `quick` without pauses; any other text works, tells two chunks, and completes. */
function* told(text: string): Generator<Said> {
  yield { state: 'working' };
  if (text === 'ask') return yield { state: 'input-required', text: 'which?' };
  yield { chunk: `${text} one`, append: false };
  yield { chunk: `${text} two`, append: true };
  yield { state: 'completed', text: `done with ${text}` };
}

/** The part of an executor that is the same in both versions: what was executed and canceled, and the pace. */
class Pace {
  readonly executed: string[] = [];
  readonly canceled: string[] = [];
  readonly #pauseMs: number;

  constructor({ pauseMs = 150 }: SdkAgentOptions) {
    this.#pauseMs = pauseMs;
  }

  async play(taskId: string, text: string, publish: (said: Said) => void): Promise<void> {
    this.executed.push(text);
    let isFirst = true;
    for (const said of told(text)) {
      // Not after the last one: what ends the execution ends the streams of the next one too.
      if (!isFirst && text !== 'ask' && text !== 'quick') await pause(this.#pauseMs);
      isFirst = false;
      if (this.canceled.includes(taskId)) return;
      publish(said);
    }
  }
}

const SKILLS = [{ id: 'any', name: 'Any', description: 'Whatever it is told.', tags: ['test'] }];
const MODES = { defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] };
const ABOUT = { name: 'SDK agent', description: 'Written as users of the SDK do.', version: '1.0.0' };

/** An agent of @a2a-js/sdk 1.3 on the SDK's own express mount, written in the way of its samples. */
export function startSdkAgent(options: SdkAgentOptions = {}): Promise<SdkAgent> {
  const pace = new Pace(options);
  const { streaming = true } = options;
  return served(pace, (url) => {
    const card = {
      ...ABOUT,
      ...MODES,
      skills: SKILLS,
      capabilities: { streaming },
      supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      ...options.card,
    };
    const requestHandler = new DefaultRequestHandler(
      AgentCard.fromJSON(card),
      new InMemoryTaskStore(),
      new Executor(pace, options),
    );
    return { card, rpc: jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }) };
  });
}

/** The same of @a2a-js/sdk 0.3.14. */
export function startSdkAgent03(options: SdkAgentOptions = {}): Promise<SdkAgent> {
  const pace = new Pace(options);
  const { streaming = true } = options;
  return served(pace, (url) => {
    const card = {
      ...ABOUT,
      ...MODES,
      skills: SKILLS,
      capabilities: { streaming },
      protocolVersion: '0.3.0',
      url: `${url}/rpc`,
      preferredTransport: 'JSONRPC',
      ...options.card,
    };
    const requestHandler = new server03.DefaultRequestHandler(
      card,
      new server03.InMemoryTaskStore(),
      new Executor03(pace, options),
    );
    const userBuilder = express03.UserBuilder.noAuthentication;
    return { card, rpc: express03.jsonRpcHandler({ requestHandler, userBuilder }) };
  });
}

async function served(
  pace: Pace,
  mount: (url: string) => { card: object; rpc: express.RequestHandler },
): Promise<SdkAgent> {
  const log = new RequestLog();
  const app = express();
  const server: Server = createServer(app);
  const url = await listenOnLoopback(server);
  const { card, rpc } = mount(url);
  app.use(express.json(), (request, _response, next) => {
    const body = request.body === undefined ? '' : JSON.stringify(request.body);
    log.record(request.method, request.originalUrl, request.headers, body);
    next();
  });
  app.get(`/${sdk03.AGENT_CARD_PATH}`, (_request, response) => {
    response.json(card);
  });
  app.use('/rpc', rpc);
  return {
    url,
    cardUrl: `${url}/${sdk03.AGENT_CARD_PATH}`,
    requests: log.requests,
    arrived: log.arrived,
    executed: pace.executed,
    canceled: pace.canceled,
    close: () => closeServer(server),
  };
}

const STATES = {
  working: TaskState.TASK_STATE_WORKING,
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  canceled: TaskState.TASK_STATE_CANCELED,
} as const;

class Executor implements AgentExecutor {
  readonly #pace: Pace;
  readonly #options: SdkAgentOptions;
  readonly #contexts = new Map<string, string>();

  constructor(pace: Pace, options: SdkAgentOptions) {
    this.#pace = pace;
    this.#options = options;
  }

  execute = async (request: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const { taskId, contextId, userMessage, task } = request;
    this.#contexts.set(taskId, contextId);
    if (!task) bus.publish(AgentEvent.task(newTask(request)));
    else if (this.#options.task === 'always') bus.publish(AgentEvent.task(task));
    const text = textOf(userMessage);
    await this.#pace.play(taskId, text, (said) => bus.publish(this.#event(taskId, said)));
    if (text !== 'ask') bus.finished();
  };

  cancelTask = async (taskId: string, bus: ExecutionEventBus): Promise<void> => {
    this.#pace.canceled.push(taskId);
    bus.publish(this.#status(taskId, 'canceled'));
    bus.finished();
  };

  #event(taskId: string, said: Said) {
    if ('state' in said) return this.#status(taskId, said.state, said.text);
    return AgentEvent.artifactUpdate({
      taskId,
      contextId: this.#contexts.get(taskId) ?? '',
      artifact: {
        artifactId: 'a1',
        name: 'chunks',
        description: '',
        parts: [textPart(said.chunk)],
        metadata: undefined,
        extensions: [],
      },
      append: said.append,
      lastChunk: said.append,
      metadata: undefined,
    });
  }

  #status(taskId: string, state: keyof typeof STATES, text?: string) {
    const contextId = this.#contexts.get(taskId) ?? '';
    const message = text === undefined ? undefined : agentMessage(taskId, contextId, text);
    const status = { state: STATES[state], message, timestamp: new Date().toISOString() };
    return AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined });
  }
}

function newTask({ taskId, contextId, userMessage }: RequestContext): Task {
  const state = TaskState.TASK_STATE_SUBMITTED;
  const status = { state, message: undefined, timestamp: new Date().toISOString() };
  return { id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: undefined };
}

function textOf({ parts }: Message): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
}

function textPart(value: string) {
  return {
    content: { $case: 'text' as const, value },
    mediaType: 'text/plain',
    filename: '',
    metadata: undefined,
  };
}

function agentMessage(taskId: string, contextId: string, text: string): Message {
  const empty = { metadata: undefined, extensions: [], referenceTaskIds: [] };
  const role = Role.ROLE_AGENT;
  return { messageId: crypto.randomUUID(), taskId, contextId, role, parts: [textPart(text)], ...empty };
}

class Executor03 implements server03.AgentExecutor {
  readonly #pace: Pace;
  readonly #options: SdkAgentOptions;
  readonly #contexts = new Map<string, string>();

  constructor(pace: Pace, options: SdkAgentOptions) {
    this.#pace = pace;
    this.#options = options;
  }

  execute = async (request: server03.RequestContext, bus: server03.ExecutionEventBus): Promise<void> => {
    const { taskId, contextId, userMessage, task } = request;
    this.#contexts.set(taskId, contextId);
    const status = { state: 'submitted', timestamp: new Date().toISOString() } as const;
    if (!task) bus.publish({ kind: 'task', id: taskId, contextId, status, history: [userMessage] });
    else if (this.#options.task === 'always') bus.publish(task);
    const text = userMessage.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    await this.#pace.play(taskId, text, (said) => bus.publish(this.#event(taskId, said)));
    bus.finished();
  };

  cancelTask = async (taskId: string, bus: server03.ExecutionEventBus): Promise<void> => {
    this.#pace.canceled.push(taskId);
    bus.publish(this.#status(taskId, 'canceled'));
    bus.finished();
  };

  #event(taskId: string, said: Said): server03.AgentExecutionEvent {
    if ('state' in said) return this.#status(taskId, said.state, said.text);
    const contextId = this.#contexts.get(taskId) ?? '';
    const artifact = {
      artifactId: 'a1',
      name: 'chunks',
      parts: [{ kind: 'text' as const, text: said.chunk }],
    };
    const { append } = said;
    return { kind: 'artifact-update', taskId, contextId, artifact, append, lastChunk: append };
  }

  #status(taskId: string, state: sdk03.TaskState, text?: string): server03.AgentExecutionEvent {
    const contextId = this.#contexts.get(taskId) ?? '';
    const parts = [{ kind: 'text' as const, text: text ?? '' }];
    const message = { kind: 'message', role: 'agent', messageId: crypto.randomUUID(), parts } as const;
    const said = text === undefined ? {} : { message: { ...message, taskId, contextId } };
    const status = { state, timestamp: new Date().toISOString(), ...said };
    return { kind: 'status-update', taskId, contextId, status, final: state !== 'working' };
  }
}
