import { setTimeout as pause } from 'node:timers/promises';
import { type TestClient, userText } from '../harness/client.ts';
import type { Journal } from './journal.ts';
import type { SeededRandom } from './seeded-random.ts';

/** What tasks of the load say; the sample agent acts on the first word. */
const TEXTS = [
  'echo me',
  'echo me',
  'stream 3',
  'ask',
  'slow 0.4',
  'slow 1.5',
  'fail',
  'hello',
  'file',
] as const;
/** Behind a connection that broke. */
const GONE_MS = 50;
const SESSION = { workspace_id: 'workspace_default' };

/** Clients that submit, say, cancel and answer until they are stopped or the gateway is gone. */
export class MixedLoad {
  readonly #journal: Journal;
  readonly #random: SeededRandom;
  #stopped = false;

  constructor(journal: Journal, random: SeededRandom) {
    this.#journal = journal;
    this.#random = random;
  }

  /** Runs so many clients; resolves when all of them have stopped. */
  async run(client: TestClient, clients: number): Promise<void> {
    this.#stopped = false;
    await Promise.all(Array.from({ length: clients }, () => this.#client(client)));
  }

  /** The same on several gateways: each action asks another one, and a client whose gateway is gone goes on. */
  async runOn(gateways: () => readonly TestClient[], clients: number): Promise<void> {
    this.#stopped = false;
    const one = async () => {
      while (!this.#stopped) if (!(await this.#act(this.#random.pick(gateways())))) await pause(GONE_MS);
    };
    await Promise.all(Array.from({ length: clients }, one));
  }

  stop(): void {
    this.#stopped = true;
  }

  async #client(client: TestClient): Promise<void> {
    while (!this.#stopped) {
      if (!(await this.#act(client))) return;
    }
  }

  /** One action; false when nobody answered, because then the gateway is gone. */
  async #act(client: TestClient): Promise<boolean> {
    const random = this.#random;
    const sessions = this.#journal.acknowledged('session_');
    const tasks = this.#journal.acknowledged('task_');
    if (sessions.length === 0 || random.chance(0.15))
      return this.#send(client, '/v1/sessions', () => SESSION);
    const session = sessions[random.between(Math.max(0, sessions.length - 20), sessions.length - 1)] ?? '';
    const choice = random.next();
    if (tasks.length === 0 || choice < 0.5) return this.#submit(client, session);
    if (choice < 0.7)
      return this.#send(client, `/v1/sessions/${session}/messages`, (key) => ({ message: userText(key) }));
    const recent = tasks[random.between(Math.max(0, tasks.length - 30), tasks.length - 1)] ?? '';
    if (choice < 0.8)
      return this.#send(client, `/v1/tasks/${recent}/cancel`, (key) => ({ reason: `wanted by ${key}` }));
    if (choice < 0.95)
      return this.#send(client, `/v1/tasks/${recent}/messages`, (key) => ({
        kind: 'input',
        message: userText(key),
      }));
    return this.#repeatOne(client);
  }

  /** The key is in the task's metadata too, so that the log itself shows how many tasks it made. */
  #submit(client: TestClient, session: string): Promise<boolean> {
    const text = this.#random.pick(TEXTS);
    return this.#send(client, `/v1/sessions/${session}/tasks`, (key) => ({
      input: userText(text),
      metadata: { journal_key: key },
    }));
  }

  async #repeatOne(client: TestClient): Promise<boolean> {
    const entry = this.#random.pick(this.#journal.entries);
    return (await this.#journal.attempt(client, entry)) !== undefined;
  }

  async #send(client: TestClient, path: string, body: (key: string) => object): Promise<boolean> {
    return (await this.#journal.send(client, path, body)) !== undefined;
  }
}
