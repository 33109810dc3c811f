import type { TestGateway } from './gateway.ts';

export interface RpcAnswer {
  status: number;
  headers: Headers;
  body: {
    id: unknown;
    result?: Json;
    error?: {
      code: number;
      message: string;
      data: { reason?: string; domain?: string; fieldViolations?: { field: string }[] }[];
    };
  };
}

/** The members of A2A that tests look into; which of them are there depends on what was asked. */
export interface Json {
  id: string;
  contextId: string;
  status: { state: string };
  history: Json[];
  artifacts: { parts: unknown[] }[];
  metadata: Record<string, unknown>;
  capabilities: { pushNotifications: boolean };
  task: Json;
  message: Json;
  tasks: Json[];
  nextPageToken: string;
  totalSize: number;
  result: Json;
  error: { code: number; details: { fieldViolations: { field: string }[] }[] };
}

export interface SseEvent {
  id: string;
  data: Json;
}

/** A bare client of the A2A face: what it sends is exactly what the test says. */
export class A2aTestClient {
  readonly url: string;
  readonly #gateway: TestGateway;
  readonly #key: string | undefined;
  #sent = 0;

  constructor(gateway: TestGateway, agent: string | undefined, key: string | undefined = gateway.client.key) {
    this.#gateway = gateway;
    this.url = agent === undefined ? `${gateway.url}/a2a` : `${gateway.url}/a2a/${agent}`;
    this.#key = key;
  }

  /** The same agent for another caller; null for nobody. */
  as(key: string | null): A2aTestClient {
    const agent = this.url.split('/a2a/')[1];
    const client = new A2aTestClient(this.#gateway, agent, key ?? '');
    return client;
  }

  message(text: string, members: object = {}): object {
    this.#sent += 1;
    return { messageId: `m${this.#sent}`, role: 'ROLE_USER', parts: [{ text }], ...members };
  }

  async raw(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method,
      headers: { ...this.#authorization(), ...headers },
      ...(body === undefined ? {} : { body }),
    });
  }

  async rpc(method: string, params: object = {}, headers: Record<string, string> = {}): Promise<RpcAnswer> {
    return this.post(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }), headers);
  }

  async post(body: string, headers: Record<string, string> = {}): Promise<RpcAnswer> {
    const sent = { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers };
    const answer = await this.raw('POST', '', body, sent);
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as RpcAnswer['body'],
    };
  }

  async rest(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: Json }> {
    const sent = {
      'a2a-version': '1.0',
      ...(body ? { 'content-type': 'application/a2a+json' } : {}),
      ...headers,
    };
    const answer = await this.raw(method, path, body && JSON.stringify(body), sent);
    return { status: answer.status, body: (await answer.json()) as Json };
  }

  /** The result of a method that must succeed. */
  async result(method: string, params: object): Promise<Json> {
    const { body } = await this.rpc(method, params);
    if (body.result === undefined) throw new Error(`${body.error?.code} ${body.error?.message}`);
    return body.result;
  }

  async task(text: string): Promise<Json> {
    return (await this.result('SendMessage', { message: this.message(text) })).task;
  }

  async *stream(
    method: string,
    params: object,
    headers: Record<string, string> = {},
  ): AsyncGenerator<SseEvent> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
    const sent = { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers };
    const answer = await this.raw('POST', '', body, sent);
    if (answer.headers.get('content-type') !== 'text/event-stream') throw new Error(await answer.text());
    yield* eventsOf(answer);
  }

  #authorization(): Record<string, string> {
    return this.#key ? { authorization: `Bearer ${this.#key}` } : {};
  }
}

async function* eventsOf(answer: Response): AsyncGenerator<SseEvent> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const data = lines.find((line) => line.startsWith('data: '));
      if (data === undefined) continue;
      const id = lines.find((line) => line.startsWith('id: '))?.slice(4) ?? '';
      yield { id, data: JSON.parse(data.slice(6)) };
    }
  }
}

export async function collect<Item>(stream: AsyncGenerator<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** `fetch` with the default key of a gateway, for clients of libraries. */
export function authorizedFetch({ client }: Pick<TestGateway, 'client'>): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${client.key}`);
    return fetch(input, { ...init, headers });
  };
}
