import { setTimeout as pause } from 'node:timers/promises';
import { isBlocked, isTerminal } from '#protocol/task-states.ts';
import type { Task } from '#resources/task/schema.ts';
import { type TestClient, userText } from '../harness/client.ts';
import { GatewayPlace, type GatewayProcess, startAgentProcess } from './gateway-process.ts';
import { Journal } from './journal.ts';
import { checkAcknowledged, checkLog } from './log-oracle.ts';
import { MixedLoad } from './mixed-load.ts';
import { Report } from './report.ts';
import { SeededRandom } from './seeded-random.ts';
import { StreamFollower } from './stream-follower.ts';

const CLIENTS = 6;
const REPEATS_PER_CYCLE = 20;
/** A task of the load works for seconds at most. */
const SETTLE_ATTEMPTS = 300;
const SETTLE_PAUSE_MS = 100;
/** A slow task spans a restart, so that the gateway takes it up again at the agent. */
const SPANNING = 'slow 3';

/**
 * SIGKILL under mixed load, again and again, also while the gateway recovers. The agent lives on. After every restart
 * everything acknowledged is there and repeats its answer; in the end every task has ended once and the log is clean.
 */
export async function killNineCycles(seed: number, cycles: number): Promise<Report> {
  const report = new Report();
  const agent = await startAgentProcess();
  const place = new GatewayPlace({
    upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
    limits: { cancel_wait_ms: 500, max_queued_tasks: 100_000 },
  });
  try {
    await new Cycles(place, new SeededRandom(seed), report).run(cycles);
  } finally {
    await agent.end();
    place.remove();
  }
  return report;
}

class Cycles {
  readonly #place: GatewayPlace;
  readonly #random: SeededRandom;
  readonly #report: Report;
  readonly #journal = new Journal('kill');
  readonly #load: MixedLoad;
  readonly #follower = new StreamFollower();
  readonly #spanning: string[] = [];

  constructor(place: GatewayPlace, random: SeededRandom, report: Report) {
    this.#place = place;
    this.#random = random;
    this.#report = report;
    this.#load = new MixedLoad(this.#journal, random);
  }

  async run(cycles: number): Promise<void> {
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      if (this.#random.chance(0.4)) await this.#killDuringRecovery();
      const gateway = await this.#place.start();
      await this.#check(gateway.client);
      await this.#loadAndKill(gateway);
      this.#report.count('kills');
    }
    const gateway = await this.#place.start();
    await this.#finish(gateway);
  }

  async #killDuringRecovery(): Promise<void> {
    const gateway = this.#place.launch();
    await pause(this.#random.between(100, 900));
    await gateway.kill();
    this.#report.count('kills during start or recovery');
  }

  async #check(client: TestClient): Promise<void> {
    await checkAcknowledged(client, this.#journal, this.#report);
    const some = Array.from({ length: REPEATS_PER_CYCLE }, () => this.#journal.entries)
      .filter((entries) => entries.length > 0)
      .map((entries) => this.#random.pick(entries));
    await this.#journal.repeat(client, [...this.#journal.unknown, ...some], this.#report);
  }

  async #loadAndKill(gateway: GatewayProcess): Promise<void> {
    const { client } = gateway;
    await this.#follower.open(client);
    const session = await client.session();
    this.#spanning.push((await client.submit(SPANNING, session.id)).id);
    const running = this.#load.run(client, CLIENTS);
    await pause(this.#random.between(5, 500));
    this.#load.stop();
    await gateway.kill();
    await Promise.all([running, this.#follower.over()]);
  }

  async #finish(gateway: GatewayProcess): Promise<void> {
    const report = this.#report;
    const { client } = gateway;
    await this.#check(client);
    await settle(client, this.#journal, report);
    for (const id of this.#spanning) await this.#checkSpanning(client, id);
    const events = await checkLog(client, report);
    await this.#follower.open(client);
    await this.#follower.leaveAfter(events.at(-1)?.id ?? '');
    this.#follower.compare(events, report);
    report.check((await gateway.stop()).code === 0, () => 'the gateway did not stop cleanly');
    const { code, stdout } = await this.#place.check();
    report.check(code === 0 && stdout.includes(' 0 findings'), () => `log check: ${code} ${stdout}`);
  }

  /** A task whose agent had named it goes on; one that may not have reached the agent says so. */
  async #checkSpanning(client: TestClient, id: string): Promise<void> {
    const { status, failure } = await client.until(id, 'COMPLETED', 'FAILED', 'CANCELED');
    const restarted = failure?.details?.['reason'] === 'harness_restarted';
    this.#report.count(restarted ? 'tasks failed by a restart' : 'tasks resumed over a restart');
    this.#report.check(
      status === 'COMPLETED' || restarted,
      () => `${id} was killed while it worked and is ${status}: ${JSON.stringify(failure)}`,
    );
  }
}

/** Answers whoever asks until no task is open any more. */
export async function settle(client: TestClient, journal: Journal, report: Report): Promise<void> {
  let open = journal.acknowledged('task_');
  for (let attempt = 0; attempt < SETTLE_ATTEMPTS && open.length > 0; attempt += 1) {
    const tasks = await Promise.all(open.map((id) => client.get<Task>(`/v1/tasks/${id}`)));
    for (const { id } of tasks.filter(({ status }) => isBlocked(status)))
      await journal.send(client, `/v1/tasks/${id}/messages`, (key) => ({
        kind: 'input',
        message: userText(key),
      }));
    open = tasks.filter(({ status }) => !isTerminal(status)).map(({ id }) => id);
    if (open.length > 0) await pause(SETTLE_PAUSE_MS);
  }
  report.check(open.length === 0, () => `tasks that never end: ${open.join(' ')}`);
}
