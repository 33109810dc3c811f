import { Pool } from 'undici';
import { DEFAULT_VERSION, VERSION_HEADER } from '#protocol/versions.ts';
import { nowMs } from './closed-loop.ts';

/** What the gateway process says when it serves. */
export interface GatewayAddress {
  url: string;
  key: string;
}

/** The load: plain HTTP over so many kept connections. */
export class GatewayClient {
  readonly #pool: Pool;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ url, key }: GatewayAddress, connections: number) {
    this.url = url;
    this.#pool = new Pool(url, { connections, pipelining: 1 });
    this.headers = { authorization: `Bearer ${key}`, [VERSION_HEADER.toLowerCase()]: DEFAULT_VERSION };
  }

  async post(path: string, body: string, more: Record<string, string> = {}): Promise<string> {
    const headers = { ...this.headers, 'content-type': 'application/json', ...more };
    const answer = await this.#pool.request({ method: 'POST', path, headers, body });
    return checked(answer.statusCode, await answer.body.text());
  }

  async get(path: string): Promise<string> {
    const answer = await this.#pool.request({ method: 'GET', path, headers: this.headers });
    return checked(answer.statusCode, await answer.body.text());
  }

  async session(metadata: object = {}): Promise<string> {
    const body = JSON.stringify({ workspace_id: 'workspace_default', metadata });
    const text = await this.post('/v1/sessions', body);
    return (JSON.parse(text) as { id: string }).id;
  }

  async sessions(count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => this.session()));
  }

  /** Submits and returns the id once the task is durably accepted. */
  async submit(sessionId: string, text: string): Promise<string> {
    const input = { role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] };
    const answer = await this.post(`/v1/sessions/${sessionId}/tasks`, JSON.stringify({ input }));
    return (JSON.parse(answer) as { id: string }).id;
  }

  /** Follows the stream of a task; resolves with the time at which its end was seen, then the stream closes itself. */
  async followToEnd(taskId: string): Promise<number> {
    const path = `/v1/tasks/${taskId}/stream`;
    const answer = await this.#pool.request({ method: 'GET', path, headers: this.headers });
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${await answer.body.text()}`);
    let seenAt = Number.NaN;
    let text = '';
    for await (const chunk of answer.body) {
      text += String(chunk);
      if (Number.isNaN(seenAt) && text.includes('event: task.completed')) seenAt = nowMs();
    }
    if (Number.isNaN(seenAt)) throw new Error(`The stream of ${taskId} closed before the end: ${text}`);
    return seenAt;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

function checked(status: number, text: string): string {
  if (status >= 300) throw new Error(`The gateway answered ${status}: ${text}`);
  return text;
}
