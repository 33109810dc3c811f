import { VERSION_HEADER } from '#protocol/versions.ts';
import type { TestClient, TestEvent } from './client.ts';

/** One block of an SSE stream. A block without data dispatches nothing; `id` is then the cursor of a heartbeat. */
export interface SseBlock {
  id?: string;
  event?: string;
  data?: string;
  comments: string[];
}

/** How long a test waits for a block before it says what was missing. */
const PATIENCE_MS = 15_000;

/** Follows an event stream of the gateway, byte for byte; close it, or let the gateway end it. */
export class EventStreamClient {
  readonly status: number;
  readonly headers: Headers;
  /** Everything received. */
  text = '';
  readonly blocks: SseBlock[] = [];
  /** Resolves when the stream is over, however it ended. */
  readonly ended: Promise<void>;
  readonly #leaving: AbortController;
  #wake: () => void = () => undefined;
  #isOver = false;

  private constructor(response: Response, leaving: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#leaving = leaving;
    this.ended = this.#read(response);
  }

  static async open(client: TestClient, path: string, lastEventId?: string): Promise<EventStreamClient> {
    const leaving = new AbortController();
    const response = await fetch(client.url + path, {
      signal: leaving.signal,
      headers: {
        authorization: `Bearer ${client.key}`,
        [VERSION_HEADER]: client.version,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
    return new EventStreamClient(response, leaving);
  }

  /** The dispatched events so far; their data is parsed. */
  get events(): TestEvent[] {
    return this.blocks
      .filter(({ data, event }) => data !== undefined && event !== 'error')
      .map(({ data }) => JSON.parse(data ?? '') as TestEvent);
  }

  /** Waits until the stream shows what is asked for; throws when it ends or takes too long before that. */
  async until(what: string, isThere: (stream: EventStreamClient) => boolean): Promise<void> {
    const late = AbortSignal.timeout(PATIENCE_MS);
    late.addEventListener('abort', () => this.#wake(), { once: true });
    while (!isThere(this)) {
      if (this.#isOver) throw new Error(`the stream ended before ${what}:\n${this.text}`);
      if (late.aborted) throw new Error(`no ${what} in time:\n${this.text}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async untilEvent(kind: string): Promise<TestEvent> {
    await this.until(kind, ({ events }) => events.some(({ event }) => event === kind));
    return this.events.find(({ event }) => event === kind) as TestEvent;
  }

  async close(): Promise<void> {
    this.#leaving.abort();
    await this.ended;
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let rest = '';
    try {
      for await (const bytes of response.body ?? []) {
        const piece = decoder.decode(bytes as Uint8Array, { stream: true });
        this.text += piece;
        const blocks = (rest + piece).split('\n\n');
        rest = blocks.pop() ?? '';
        this.blocks.push(...blocks.map(parseBlock));
        this.#wake();
      }
    } catch (error) {
      if (!this.#leaving.signal.aborted) throw error;
    } finally {
      this.#isOver = true;
      this.#wake();
    }
  }
}

function parseBlock(text: string): SseBlock {
  const block: SseBlock = { comments: [] };
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === '') block.comments.push(value);
    if (name === 'id') block.id = value;
    if (name === 'event') block.event = value;
    if (name === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
  }
  return block;
}
