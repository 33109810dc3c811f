import fc from 'fast-check';
import type { Move, Turn } from '#protocol-client.ts';
import type { Task } from '#resources/task/schema.ts';
import type { TestAnswer, TestClient } from '../harness/client.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { checkLog } from './log-oracle.ts';
import { bind, chunk, PuppetClient } from './puppet-client.ts';
import { Report } from './report.ts';

const TERMINAL = ['COMPLETED', 'FAILED', 'CANCELED'];
/** Short, because in every fourth race the agent says nothing to a cancel. */
const CANCEL_WAIT_MS = 15;
const RACES_PER_SESSION = 100;

interface Race {
  /** What the agent does, in order; the last one ends the task. */
  steps: Move[][];
  /** What the agent answers to a cancel. */
  onCancel: Move[][];
  cancels: number;
  /** What passes after an action before the next one. */
  pauses: Pause[];
}

/** Turns of the event loop, or until the cancels sent so far have reached the agent, or have been answered. */
type Pause = number | 'reached' | 'answered';

const status = (to: 'COMPLETED' | 'FAILED' | 'CANCELED'): Move =>
  to === 'FAILED'
    ? { type: 'status', to, failure: { code: 'runtime_error', message: 'as the race wants' } }
    : { type: 'status', to };

const middle = fc.constantFrom<Move[]>([chunk('part', true)], [{ type: 'status', to: 'WORKING' }]);
const end = fc.constantFrom<Move[]>(
  [status('COMPLETED')],
  [status('FAILED')],
  [chunk('all', false, true), status('COMPLETED')],
  [status('COMPLETED'), status('FAILED')],
);

const raceOf: fc.Arbitrary<Race> = fc.record({
  steps: fc
    .tuple(fc.array(middle, { maxLength: 2 }), end, fc.array(end, { maxLength: 1 }))
    .map(([before, last, late]) => [...before, last, ...late]),
  onCancel: fc.constantFrom<Move[][]>([[status('CANCELED')]], [[status('COMPLETED')]], [], [[]]),
  cancels: fc.integer({ min: 1, max: 2 }),
  pauses: fc.array(fc.constantFrom<Pause>(0, 1, 5, 50, 'reached', 'answered'), {
    minLength: 1,
    maxLength: 8,
  }),
});

/** The agent's end of one task: what the race lets it send. */
class Puppet {
  readonly #queue: Move[][] = [];
  #wake: () => void = () => undefined;
  #over = false;
  readonly reached: Promise<void>;
  readonly #onCancel: Move[][];
  #resolveReached: () => void = () => undefined;

  constructor(onCancel: Move[][] = []) {
    this.#onCancel = onCancel;
    this.reached = new Promise((resolve) => {
      this.#resolveReached = resolve;
    });
  }

  async *cancel(): AsyncGenerator<Move[]> {
    this.#resolveReached();
    yield* this.#onCancel;
  }

  send(moves: Move[]): void {
    this.#queue.push(moves);
    this.#wake();
  }

  end(): void {
    this.#over = true;
    this.#wake();
  }

  async *play(turn: Turn, signal: AbortSignal): AsyncGenerator<Move[]> {
    yield [bind(turn)];
    signal.addEventListener('abort', () => this.end(), { once: true });
    for (;;) {
      for (let moves = this.#queue.shift(); moves !== undefined; moves = this.#queue.shift()) yield moves;
      if (this.#over || signal.aborted) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/**
 * Cancel against completion in so many interleavings: whatever the order, the task ends exactly once, every answer to a
 * cancel says how, and nothing succeeds after it was canceled.
 */
export async function cancelRaces(seed: number, races: number): Promise<Report> {
  const report = new Report();
  let puppet = new Puppet();
  const upstream = new PuppetClient(
    (turn, signal) => puppet.play(turn, signal),
    () => puppet.cancel(),
  );
  const gateway = await startTestGateway({
    config: { limits: { cancel_wait_ms: CANCEL_WAIT_MS } },
    extraClients: [upstream],
  });
  const { client } = gateway;
  let session = '';
  try {
    const property = fc.asyncProperty(fc.scheduler(), raceOf, async (scheduler, race) => {
      if ((report.counts['races'] ?? 0) % RACES_PER_SESSION === 0) session = (await client.session()).id;
      puppet = new Puppet(race.onCancel);
      const wrong = await runRace(client, session, puppet, scheduler, race, report);
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
    });
    const details = await fc.check(property, { seed, numRuns: races });
    if (details.failed) report.violations.push(fc.defaultReportMessage(details) ?? 'a race failed');
    await checkLog(client, report);
  } finally {
    await gateway.close();
  }
  return report;
}

async function runRace(
  client: TestClient,
  session: string,
  puppet: Puppet,
  scheduler: fc.Scheduler,
  race: Race,
  report: Report,
): Promise<string[]> {
  const { id } = await client.submit('race', session);
  const answers: Promise<TestAnswer<Task>>[] = [];
  let action = 0;
  const paced = (act: () => void) => async () => {
    act();
    const pause = race.pauses[action++ % race.pauses.length] ?? 0;
    const answered = Promise.all(answers);
    if (typeof pause === 'number') await turnsOfTheLoop(pause);
    else
      await (pause === 'answered' || answers.length === 0
        ? answered
        : Promise.race([puppet.reached, answered]));
  };
  scheduler.scheduleSequence(race.steps.map((moves) => paced(() => puppet.send(moves))));
  const cancel = () => void answers.push(client.call<Task>('POST', `/v1/tasks/${id}/cancel`));
  scheduler.scheduleSequence(Array.from({ length: race.cancels }, () => paced(cancel)));
  await scheduler.waitAll();
  const answered = await Promise.all(answers);
  puppet.end();
  const task = await client.until(id, 'COMPLETED', 'FAILED', 'CANCELED');
  report.count('races');
  report.count(`ended ${task.status}`);
  return faultsOf(task, answered, await client.events(`/v1/tasks/${id}/events`));
}

async function turnsOfTheLoop(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function faultsOf(
  task: Task,
  answers: readonly TestAnswer<Task>[],
  events: readonly { event: string; payload: Record<string, unknown> }[],
): string[] {
  const faults: string[] = [];
  const ends = events.filter(({ event }) => TERMINAL.some((end) => event === `task.${end.toLowerCase()}`));
  if (ends.length !== 1) faults.push(`terminal events: ${ends.map(({ event }) => event).join(' ')}`);
  const last = events.findLastIndex(({ event }) => event.startsWith('task.'));
  if (events[last] !== ends[0]) faults.push(`${events[last]?.event} follows ${ends[0]?.event}`);
  if (ends[0]?.event !== `task.${task.status.toLowerCase()}`)
    faults.push(`${task.status} after ${ends[0]?.event}`);
  for (const { status: http, body, text } of answers) {
    const canceled = http === 200 && body.status === 'CANCELED' && task.status === 'CANCELED';
    const tooLate = http === 409 && text.includes(`"status":"${task.status}"`);
    if (!canceled && !tooLate)
      faults.push(`a cancel was answered ${http} ${text} and the task is ${task.status}`);
  }
  return faults;
}
