import { DEFAULT_VERSION, VERSION_HEADER, type VersionId } from '#protocol/versions.ts';
import type { Message } from '#resources/message/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';

export interface TestAnswer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

export interface CallOptions {
  body?: unknown;
  headers?: Record<string, string | undefined>;
}

/** A plain HTTP client of the gateway for tests: real fetch, nothing hidden. */
export class TestClient {
  readonly url: string;
  readonly key: string;
  readonly version: VersionId;
  /** Told of every answer; a test that opts in lets it throw. */
  onAnswer: ((method: string, path: string, answer: TestAnswer) => void) | undefined;

  constructor(url: string, key: string, version: VersionId = DEFAULT_VERSION) {
    this.url = url;
    this.key = key;
    this.version = version;
  }

  /** Any call; JSON bodies are encoded, Buffers and strings go as they are. A header set to undefined is left out. */
  async call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    { body, headers = {} }: CallOptions = {},
  ): Promise<TestAnswer<Body>> {
    const raw = typeof body === 'string' || Buffer.isBuffer(body);
    const all: Record<string, string | undefined> = {
      authorization: `Bearer ${this.key}`,
      [VERSION_HEADER]: this.version,
      ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const response = await fetch(this.url + path, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json');
    const { status, headers: received } = response;
    const answer = {
      status,
      headers: received,
      body: (json && text !== '' ? JSON.parse(text) : {}) as Body,
      text,
    };
    this.onAnswer?.(method, path, answer as TestAnswer);
    return answer;
  }

  async get<Body = Record<string, unknown>>(path: string): Promise<Body> {
    return this.#expect<Body>('GET', path, {});
  }

  async post<Body = Record<string, unknown>>(path: string, body?: unknown, key?: string): Promise<Body> {
    return this.#expect<Body>('POST', path, {
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    });
  }

  async session(metadata?: Record<string, unknown>): Promise<Session> {
    return this.post<Session>('/v1/sessions', {
      workspace_id: 'workspace_default',
      ...(metadata ? { metadata } : {}),
    });
  }

  /** Submits a text task, in a new session unless one is named. */
  async submit(text: string, sessionId?: string, metadata?: Record<string, unknown>): Promise<Task> {
    const session = sessionId ?? (await this.session()).id;
    const input = userText(text);
    return this.post<Task>(`/v1/sessions/${session}/tasks`, { input, ...(metadata ? { metadata } : {}) });
  }

  /** Answers a blocked task. */
  async answer(taskId: string, text: string): Promise<Message> {
    return this.post<Message>(`/v1/tasks/${taskId}/messages`, { kind: 'input', message: userText(text) });
  }

  /** Polls until the task has one of the states. */
  async until(taskId: string, ...states: Task['status'][]): Promise<Task> {
    for (let attempt = 0; attempt < 1_000; attempt += 1) {
      const task = await this.get<Task>(`/v1/tasks/${taskId}`);
      if (states.includes(task.status)) return task;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`task ${taskId} did not become ${states.join(' or ')}`);
  }

  /** All events of a path, page by page. */
  async events(path: string): Promise<TestEvent[]> {
    const found: TestEvent[] = [];
    let cursor = '';
    for (;;) {
      const page = await this.get<{
        data: TestEvent[];
        page: { has_more: boolean; next_cursor: string | null };
      }>(`${path}?limit=200${cursor}`);
      found.push(...page.data);
      if (!page.page.has_more) return found;
      cursor = `&after_event_id=${page.page.next_cursor}`;
    }
  }

  async #expect<Body>(method: string, path: string, options: CallOptions): Promise<Body> {
    const answer = await this.call<Body>(method, path, options);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }
}

export interface TestEvent {
  id: string;
  event: string;
  sequence: number;
  resource: { object: string; id: string };
  payload: Record<string, unknown>;
  [member: string]: unknown;
}

export function userText(text: string) {
  return { role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] };
}
