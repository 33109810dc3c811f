import {
  type Artifact,
  ListTasksRequest,
  type Message,
  type Part,
  SendMessageRequest,
  type StreamResponse,
  type Task,
  taskStateToJSON,
} from '@a2a-js/sdk';
import {
  type CallInterceptor,
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import type * as v03 from 'a2a03';
import {
  type CallInterceptor as CallInterceptor03,
  type Client as Client03,
  ClientFactory as ClientFactory03,
  ClientFactoryOptions as ClientFactoryOptions03,
  DefaultAgentCardResolver as DefaultAgentCardResolver03,
  JsonRpcTransportFactory as JsonRpcTransportFactory03,
  RestTransportFactory as RestTransportFactory03,
} from 'a2a03/client';
import { GrpcTransportFactory as GrpcTransportFactory03 } from 'a2a03/client/grpc';

/** What a client saw, in the words of A2A 0.3, whatever version it speaks. */
export interface Seen {
  readonly kind: 'task' | 'status' | 'artifact' | 'message';
  readonly taskId: string;
  readonly contextId: string;
  readonly state?: string;
  /** The text of the status message, of the message, or of all the artifact's parts. */
  readonly text?: string;
  /** The values of the data parts among those. */
  readonly data?: readonly unknown[];
  readonly artifacts?: readonly SeenArtifact[];
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

export interface SeenArtifact {
  readonly id: string;
  readonly parts: readonly (
    | string
    | { readonly file: string; readonly type: string }
    | { readonly data: unknown }
  )[];
}

/** One real client, connected to one real agent. What is no text is sent as a data part. */
export interface Driver {
  /** The client does not tell whether a chunk is appended, whatever it was sent. */
  readonly losesAppend?: boolean;
  send(said: string | object, taskId?: string): Promise<Seen>;
  stream(text: string, taskId?: string): AsyncGenerator<Seen>;
  get(taskId: string): Promise<Seen>;
  cancel(taskId: string): Promise<Seen>;
  resubscribe(taskId: string): AsyncGenerator<Seen>;
  /** Tasks of a context, newest first; A2A 0.3 has no such method over JSON-RPC. */
  list?(contextId: string): Promise<readonly Seen[]>;
  /** The name in the card that callers are given. */
  cardName(): Promise<string>;
}

/** The client of @a2a-js/sdk 1.3 on one of its bindings. */
export async function driver10(
  url: string,
  binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC',
  fetchImpl: typeof fetch = fetch,
  key?: string,
): Promise<Driver> {
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [
      new JsonRpcTransportFactory({ fetchImpl }),
      new RestTransportFactory({ fetchImpl }),
      new GrpcTransportFactory(),
    ],
    ...(key === undefined ? {} : { clientConfig: { interceptors: [bearer(key)] } }),
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  const client = await new ClientFactory(options).createFromUrl(url);
  if (client.transport.protocolName !== binding)
    throw new Error(`The client chose ${client.transport.protocolName}.`);
  return new Driver10(client);
}

/** The client of gRPC takes metadata call by call. */
function bearer(key: string): CallInterceptor {
  return {
    before: async (args) => {
      args.options = { ...args.options, serviceParameters: { authorization: `Bearer ${key}` } };
    },
    after: async () => undefined,
  };
}

class Driver10 implements Driver {
  readonly #client: Client;
  #sent = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async send(said: string | object, taskId?: string): Promise<Seen> {
    const answer = await this.#client.sendMessage(this.#request(said, taskId));
    return 'messageId' in answer ? seenMessage(answer) : seenTask(answer);
  }

  async *stream(text: string, taskId?: string): AsyncGenerator<Seen> {
    for await (const event of this.#client.sendMessageStream(this.#request(text, taskId)))
      yield seenEvent(event);
  }

  async get(taskId: string): Promise<Seen> {
    return seenTask(await this.#client.getTask({ tenant: '', id: taskId }));
  }

  async list(contextId: string): Promise<readonly Seen[]> {
    const request = ListTasksRequest.fromJSON({ contextId, pageSize: 10, includeArtifacts: true });
    return (await this.#client.listTasks(request)).tasks.map(seenTask);
  }

  async cardName(): Promise<string> {
    return (await this.#client.getAgentCard()).name;
  }

  async cancel(taskId: string): Promise<Seen> {
    return seenTask(await this.#client.cancelTask({ tenant: '', id: taskId, metadata: undefined }));
  }

  async *resubscribe(taskId: string): AsyncGenerator<Seen> {
    for await (const event of this.#client.resubscribeTask({ tenant: '', id: taskId }))
      yield seenEvent(event);
  }

  #request(said: string | object, taskId?: string): SendMessageRequest {
    this.#sent += 1;
    const part = typeof said === 'string' ? { text: said } : { data: said };
    const message = { messageId: `m${this.#sent}`, role: 'ROLE_USER', parts: [part] };
    return SendMessageRequest.fromJSON({ message: taskId === undefined ? message : { ...message, taskId } });
  }
}

function seenEvent(event: StreamResponse): Seen {
  const payload = event.payload;
  if (payload?.$case === 'task') return seenTask(payload.value);
  if (payload?.$case === 'message') return seenMessage(payload.value);
  if (payload?.$case === 'statusUpdate') {
    const { taskId, contextId, status } = payload.value;
    return { kind: 'status', taskId, contextId, ...seenStatus(status?.state, status?.message) };
  }
  if (payload?.$case !== 'artifactUpdate' || payload.value.artifact === undefined)
    throw new Error('No payload.');
  const { taskId, contextId, artifact, append, lastChunk } = payload.value;
  return { kind: 'artifact', taskId, contextId, artifacts: [seenArtifact(artifact)], append, lastChunk };
}

function seenTask(task: Task): Seen {
  return {
    kind: 'task',
    taskId: task.id,
    contextId: task.contextId,
    ...seenStatus(task.status?.state, task.status?.message),
    artifacts: task.artifacts.map(seenArtifact),
  };
}

function seenMessage(message: Message): Seen {
  const { taskId, contextId } = message;
  return { kind: 'message', taskId, contextId, ...seenWords(message.parts.map(seenPart)) };
}

function seenStatus(state: number | undefined, message: Message | undefined) {
  const word = taskStateToJSON(state ?? 0).replace('TASK_STATE_', '');
  const words = { state: word.toLowerCase().replace('_', '-') };
  return message === undefined ? words : { ...words, ...seenWords(message.parts.map(seenPart)) };
}

function seenWords(parts: SeenArtifact['parts']): Pick<Seen, 'text' | 'data'> {
  const data = parts.flatMap((part) => (typeof part === 'object' && 'data' in part ? [part.data] : []));
  const text = parts.filter((part) => typeof part === 'string').join('');
  return data.length === 0 ? { text } : { text, data };
}

function seenArtifact(artifact: Artifact): SeenArtifact {
  return { id: artifact.artifactId, parts: artifact.parts.map(seenPart) };
}

function seenPart({ content, mediaType }: Part): SeenArtifact['parts'][number] {
  if (content?.$case === 'text') return content.value;
  if (content?.$case === 'raw') return { file: content.value.toString('utf8'), type: mediaType };
  return { data: content?.value };
}

/** The client of @a2a-js/sdk 0.3.14 on one of its bindings. */
export async function driver03(
  url: string,
  fetchImpl: typeof fetch = fetch,
  binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC' = 'JSONRPC',
  key?: string,
): Promise<Driver> {
  const transports = {
    JSONRPC: new JsonRpcTransportFactory03({ fetchImpl }),
    'HTTP+JSON': new RestTransportFactory03({ fetchImpl }),
    GRPC: new GrpcTransportFactory03(),
  };
  const options = ClientFactoryOptions03.createFrom(ClientFactoryOptions03.default, {
    transports: [transports[binding]],
    ...(key === undefined ? {} : { clientConfig: { interceptors: [bearer03(key)] } }),
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver03({ fetchImpl }),
  });
  return new Driver03(await new ClientFactory03(options).createFromUrl(url), binding !== 'JSONRPC');
}

function bearer03(key: string): CallInterceptor03 {
  return {
    before: async (args) => {
      args.options = { ...args.options, serviceParameters: { authorization: `Bearer ${key}` } };
    },
    after: async () => undefined,
  };
}

class Driver03 implements Driver {
  readonly losesAppend: boolean;
  readonly #client: Client03;
  #sent = 0;

  constructor(client: Client03, losesAppend: boolean) {
    this.#client = client;
    this.losesAppend = losesAppend;
  }

  async send(said: string | object, taskId?: string): Promise<Seen> {
    return seen03(await this.#client.sendMessage(this.#params(said, taskId)));
  }

  async *stream(text: string, taskId?: string): AsyncGenerator<Seen> {
    for await (const event of this.#client.sendMessageStream(this.#params(text, taskId))) yield seen03(event);
  }

  async get(taskId: string): Promise<Seen> {
    return seen03(await this.#client.getTask({ id: taskId }));
  }

  async cardName(): Promise<string> {
    return (await this.#client.getAgentCard()).name;
  }

  async cancel(taskId: string): Promise<Seen> {
    return seen03(await this.#client.cancelTask({ id: taskId }));
  }

  async *resubscribe(taskId: string): AsyncGenerator<Seen> {
    for await (const event of this.#client.resubscribeTask({ id: taskId })) yield seen03(event);
  }

  #params(said: string | object, taskId?: string): v03.MessageSendParams {
    this.#sent += 1;
    const part: v03.Part =
      typeof said === 'string' ? { kind: 'text', text: said } : { kind: 'data', data: { ...said } };
    const message: v03.Message = {
      kind: 'message',
      messageId: `m${this.#sent}`,
      role: 'user',
      parts: [part],
    };
    return { message: taskId === undefined ? message : { ...message, taskId } };
  }
}

type Event03 = v03.Task | v03.Message | v03.TaskStatusUpdateEvent | v03.TaskArtifactUpdateEvent;

function seen03(event: Event03): Seen {
  const contextId = event.contextId ?? '';
  switch (event.kind) {
    case 'task': {
      const artifacts = (event.artifacts ?? []).map(seenArtifact03);
      return { kind: 'task', taskId: event.id, contextId, ...seenStatus03(event.status), artifacts };
    }
    case 'message':
      return {
        kind: 'message',
        taskId: event.taskId ?? '',
        contextId,
        ...seenWords(event.parts.map(seenPart03)),
      };
    case 'status-update':
      return { kind: 'status', taskId: event.taskId, contextId, ...seenStatus03(event.status) };
    case 'artifact-update': {
      const { taskId, append = false, lastChunk = false } = event;
      return {
        kind: 'artifact',
        taskId,
        contextId,
        artifacts: [seenArtifact03(event.artifact)],
        append,
        lastChunk,
      };
    }
  }
}

function seenStatus03({ state, message }: v03.TaskStatus) {
  return message === undefined ? { state } : { state, ...seenWords(message.parts.map(seenPart03)) };
}

function seenArtifact03(artifact: v03.Artifact): SeenArtifact {
  return { id: artifact.artifactId, parts: artifact.parts.map(seenPart03) };
}

function seenPart03(part: v03.Part): SeenArtifact['parts'][number] {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'data') return { data: part.data };
  if (!('bytes' in part.file)) throw new Error('The sample agent sends bytes, not links.');
  const file = Buffer.from(part.file.bytes, 'base64').toString('utf8');
  return { file, type: part.file.mimeType ?? '' };
}

/** Everything that a stream tells, to its end. */
export async function all(stream: AsyncGenerator<Seen>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const event of stream) seen.push(event);
  return seen;
}

export async function next(stream: AsyncGenerator<Seen>): Promise<Seen> {
  const { value, done } = await stream.next();
  if (done) throw new Error('The stream ended too early.');
  return value;
}

export function words({ kind, state }: Seen): string {
  return state === undefined ? kind : `${kind} ${state}`;
}
