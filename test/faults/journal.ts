import type { TestAnswer, TestClient } from '../harness/client.ts';
import type { Report } from './report.ts';

/** One command as it was sent, and what is known of its outcome. */
export interface Entry {
  readonly key: string;
  readonly path: string;
  readonly body: object;
  /** The acknowledged answer; undefined while its outcome is unknown. */
  answer?: { status: number; id: string };
}

const REFUSED_FOR_NOW = 503;

/**
 * Every command with its Idempotency-Key, kept outside the gateway: what was acknowledged, and what may or may not have
 * happened because the gateway died, or said 503, before it answered.
 */
export class Journal {
  readonly entries: Entry[] = [];
  readonly #prefix: string;
  /** Why the newest connection broke. */
  #broken: unknown;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Notes a new command that is about to be sent. */
  note(path: string, body: (key: string) => object): Entry {
    const key = `${this.#prefix}-${this.entries.length}`;
    const entry: Entry = { key, path, body: body(key) };
    this.entries.push(entry);
    return entry;
  }

  /** Sends a new command; undefined when nobody answered it. */
  send(client: TestClient, path: string, body: (key: string) => object): Promise<TestAnswer | undefined> {
    return this.attempt(client, this.note(path, body));
  }

  /** Sends a command, again or for the first time. */
  async attempt(client: TestClient, entry: Entry): Promise<TestAnswer | undefined> {
    let answer: TestAnswer;
    try {
      answer = await client.call('POST', entry.path, {
        body: entry.body,
        headers: { 'idempotency-key': entry.key },
      });
    } catch (error) {
      this.#broken = error;
      return undefined; // The connection broke: the outcome is unknown until somebody asks again.
    }
    if (answer.status !== REFUSED_FOR_NOW) entry.answer ??= { status: answer.status, id: idOf(answer) };
    return answer;
  }

  /** Ids of one kind of resource that an acknowledged command made. */
  acknowledged(prefix: string): string[] {
    return this.entries.flatMap(({ answer }) =>
      answer !== undefined && answer.status < 300 && answer.id.startsWith(prefix) ? [answer.id] : [],
    );
  }

  /** Repeats commands with their keys: what was answered once is answered so again. */
  async repeat(client: TestClient, entries: readonly Entry[], report: Report): Promise<void> {
    for (const entry of entries) {
      const before = entry.answer;
      let again = await this.attempt(client, entry);
      // 503 asks for another try with the same key.
      if (again?.status === REFUSED_FOR_NOW) again = await this.attempt(client, entry);
      if (again === undefined)
        throw new Error(`No answer to the repeated ${entry.key}.`, { cause: this.#broken });
      report.count('repeated commands');
      const now = { status: again.status, id: idOf(again) };
      report.check(
        before === undefined || (before.status === now.status && before.id === now.id),
        () =>
          `${entry.key} ${entry.path} was ${JSON.stringify(before)}, repeated it is ${JSON.stringify(now)}`,
      );
      report.check(again.status < 500, () => `${entry.key} ${entry.path} repeated: ${again.text}`);
    }
  }

  /** Commands whose outcome is unknown. */
  get unknown(): Entry[] {
    return this.entries.filter(({ answer }) => answer === undefined);
  }
}

function idOf({ body }: TestAnswer): string {
  const error = body['error'] as { code: string } | undefined;
  return String(body['id'] ?? error?.code);
}
