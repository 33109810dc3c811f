import type { TestClient, TestEvent } from '../harness/client.ts';
import { EventStreamClient } from '../harness/event-stream.ts';
import type { Report } from './report.ts';

const BEFORE_ALL = '0'.repeat(20);

/** One subscriber who resumes by Last-Event-ID after each end of a stream, whoever ended it. */
export class StreamFollower {
  readonly #path: string;
  readonly #seen: { id: string; data: string }[] = [];
  #stream: EventStreamClient | undefined;

  constructor(path = '/v1/events/stream') {
    this.#path = path;
  }

  /** Goes on behind what was seen so far. */
  async open(client: TestClient): Promise<void> {
    this.#stream = await EventStreamClient.open(client, this.#path, this.#seen.at(-1)?.id ?? BEFORE_ALL);
  }

  /** Resolves when the open stream is over, and keeps what it brought. A killed gateway breaks it off; that counts too. */
  async over(): Promise<void> {
    const stream = this.#stream;
    await stream?.ended.catch(() => undefined);
    // Whoever left it meanwhile kept it.
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    for (const { id, data } of stream?.blocks ?? [])
      if (id !== undefined && data !== undefined) this.#seen.push({ id, data });
  }

  /** Waits for one event on the open stream, then leaves it. */
  async leaveAfter(id: string): Promise<void> {
    await this.#stream?.until(`event ${id}`, ({ blocks }) =>
      [...blocks, ...this.#seen].some((block) => block.id === id),
    );
    await this.#stream?.close();
    await this.over();
  }

  /** Leaves the open stream, with what it brought so far. */
  async leave(): Promise<void> {
    await this.#stream?.close();
    await this.over();
  }

  /** What was delivered is the log, event for event, without gap or double. */
  compare(events: readonly TestEvent[], report: Report): void {
    report.count('events delivered', this.#seen.length);
    report.check(
      this.#seen.length === events.length,
      () => `${this.#seen.length} events delivered, ${events.length} in the log`,
    );
    for (const [at, { data }] of this.#seen.entries())
      report.check(
        data === JSON.stringify(events[at]),
        () => `delivered ${data.slice(0, 200)}, in the log ${JSON.stringify(events[at])?.slice(0, 200)}`,
      );
  }
}
