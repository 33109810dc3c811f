import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isTerminal } from '#protocol/task-states.ts';
import type { Move, Turn } from '#protocol-client.ts';
import type { Task } from '#resources/task/schema.ts';
import { openLevelStore } from '#store/level-store.ts';
import { type TestClient, userText } from '../harness/client.ts';
import { FaultyStore, type StoreFault } from '../harness/faulty-store.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { Journal } from './journal.ts';
import { checkAcknowledged, checkLog } from './log-oracle.ts';
import { aborted, bind, chunk, PuppetClient, textOf } from './puppet-client.ts';
import type { Report } from './report.ts';

const SESSION = { workspace_id: 'workspace_default' };
const MAX_ATTEMPTS = 400;
const PAUSE_MS = 10;
const LATE_MS = 300;

/**
 * The n-th call of one kind fails while a story of tasks, messages, an answer and a cancel runs. Whoever is refused tries
 * again with the same key. In the end everything happened once, every task has ended, and the log is clean.
 * Returns false when the story needs fewer calls than n. `last`: `late` where the last task to end ends behind all others.
 */
export async function storyWithFault(
  fault: StoreFault,
  report: Report,
  last: 'echo' | 'late' = 'echo',
): Promise<boolean> {
  const data = mkdtempSync(join(tmpdir(), 'harn-faulty-'));
  let faulty: FaultyStore | undefined;
  const start = () =>
    startTestGateway({
      data,
      config: { limits: { cancel_wait_ms: 200 } },
      extraClients: [new PuppetClient(play, playCancel)],
      openStore: async (options) => {
        const store = await openLevelStore(options);
        if (faulty !== undefined) return store;
        faulty = new FaultyStore(store, fault);
        return faulty;
      },
    });
  try {
    const gateway = await start().catch(start); // The first write is made by the start itself, which may be repeated.
    await tell(gateway, { fault, last }, report);
    const again = await start();
    await checkLog(again.client, report);
    await again.close();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
  report.count('stories told');
  return faulty?.happened === true;
}

async function* play(turn: Turn, signal: AbortSignal): AsyncGenerator<Move[]> {
  if (turn.kind === 'continue') return yield [{ type: 'status', to: 'COMPLETED' }];
  const text = textOf(turn);
  yield [bind(turn)];
  if (text === 'ask') return yield [{ type: 'status', to: 'INPUT_REQUIRED' }];
  if (text === 'hold') return await aborted(signal);
  if (text === 'late') await pause(LATE_MS);
  yield [chunk('one ', false)];
  yield [chunk('two', true, true)];
  yield [{ type: 'status', to: 'COMPLETED' }];
}

async function* playCancel(): AsyncGenerator<Move[]> {
  yield [{ type: 'status', to: 'CANCELED' }];
}

async function tell(
  gateway: TestGateway,
  { fault, last }: { fault: StoreFault; last: string },
  report: Report,
): Promise<void> {
  const { client } = gateway;
  const journal = new Journal('story');
  const teller = new Teller(client, journal);
  try {
    const sessions = await Promise.all([1, 2, 3].map(() => teller.do('/v1/sessions', () => SESSION)));
    const submit = (text: string, at: number) =>
      teller.do(`/v1/sessions/${sessions[at]}/tasks`, (key) => ({
        input: userText(text),
        metadata: { journal_key: key },
      }));
    const [echo, ask, hold] = await Promise.all([submit('echo', 0), submit('ask', 1), submit('hold', 2)]);
    const said = userText('more');
    const [ending] = await Promise.all([
      submit(last, 0),
      teller.do(`/v1/sessions/${sessions[0]}/messages`, () => ({ message: said })),
      teller.until(ask, ['INPUT_REQUIRED', 'FAILED']),
    ]);
    await teller.do(`/v1/tasks/${ask}/messages`, () => ({ kind: 'input', message: said }));
    await teller.do(`/v1/tasks/${hold}/cancel`, () => ({}));
    // Behind the end of all of them nothing is written any more, so no read meets a store that is being reopened.
    for (const id of [echo, ask, hold, ending]) await teller.until(id, ['COMPLETED', 'FAILED', 'CANCELED']);
    await teller.untilReady();
    await finish(gateway, journal, report).catch((error: unknown) => {
      // The planned fault may meet one of these reads; it happens once.
      if (!String(error).includes('planned fault')) throw error;
      return finish(gateway, journal, report);
    });
  } catch (error) {
    report.violations.push(
      `${JSON.stringify(fault)}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  report.count('refused with 503', teller.refusals);
  await gateway.close().catch((error: unknown) => {
    // Only a fault planned for this very call may surface here.
    report.check(
      fault.call === 'close',
      () => `${JSON.stringify(fault)}: close failed with ${String(error)}`,
    );
  });
}

async function finish({ client }: TestGateway, journal: Journal, report: Report): Promise<void> {
  const wrong = journal.entries.filter(({ answer }) => answer === undefined || answer.status >= 500);
  report.check(wrong.length === 0, () => `never answered: ${JSON.stringify(wrong)}`);
  for (const id of journal.acknowledged('task_')) {
    const { status } = await client.get<Task>(`/v1/tasks/${id}`);
    report.check(isTerminal(status), () => `${id} is still ${status}`);
  }
  await checkAcknowledged(client, journal, report);
  await journal.repeat(client, journal.entries, report);
  await checkLog(client, report);
}

/** A client that tries again as long as it is told 503. */
class Teller {
  refusals = 0;
  readonly #client: TestClient;
  readonly #journal: Journal;

  constructor(client: TestClient, journal: Journal) {
    this.#client = client;
    this.#journal = journal;
  }

  async do(path: string, body: (key: string) => object): Promise<string> {
    const entry = this.#journal.note(path, body);
    let answer = await this.#journal.attempt(this.#client, entry);
    for (let attempt = 0; answer === undefined || answer.status === 503; attempt += 1) {
      if (attempt === MAX_ATTEMPTS) throw new Error(`${path} is never served: ${answer?.text}`);
      this.refusals += 1;
      await pause(PAUSE_MS);
      answer = await this.#journal.attempt(this.#client, entry);
    }
    return String(answer.body['id']);
  }

  /** Reads go on while writes are refused, but for one that is the fault, and those at the moment of a reopening. */
  async until(id: string, states: readonly string[]): Promise<void> {
    let last = '';
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { body, text } = await this.#client.call<Task>('GET', `/v1/tasks/${id}`);
      if (states.includes(body.status)) return;
      last = text;
      await pause(PAUSE_MS);
    }
    throw new Error(`the task never becomes ${states.join(' or ')}: ${last}`);
  }

  async untilReady(): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if ((await this.#client.call('GET', '/ready')).status === 200) return;
      await pause(PAUSE_MS);
    }
    throw new Error('the gateway never gets ready again');
  }
}
