import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#protocol/ports.ts';
import type { Move, Turn } from '#protocol-client.ts';
import type { Task } from '#resources/task/schema.ts';
import type { TestAnswer, TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { checkLog } from './log-oracle.ts';
import { bind, PuppetClient } from './puppet-client.ts';
import { Report } from './report.ts';
import { SeededRandom } from './seeded-random.ts';

const CALLERS = 100;
const WINDOW_MS = 86_400_000;

/** Two spellings of one body, and one that means something else. */
const BODIES = {
  same: '{"input":{"role":"user","parts":[{"type":"text","text":"hi","visibility":"public"}]},"metadata":{"a":1,"b":2}}',
  reordered:
    '{ "metadata": {"b":2, "a":1}, "input":{"parts":[{"visibility":"public","type":"text","text":"h\\u0069"}], "role":"user"}}',
  other:
    '{"input":{"role":"user","parts":[{"type":"text","text":"ho","visibility":"public"}]},"metadata":{"a":1,"b":2}}',
};

/** Callers of the races of a long run: most are between a few. Even numbers, as there are two bodies. */
export const FEW_AND_MANY: readonly number[] = [2, 2, 4, 10, 10, CALLERS];

/** A wall clock that a scenario moves. */
export class MovableClock implements Clock {
  nowMs = Date.UTC(2026, 10, 21);
  now = () => this.nowMs;
  monotonic: Clock['monotonic'] = () => performance.now();
}

/** Time that passes when a scenario says so, on both clocks: windows are counted by what passed. */
class PassingClock extends MovableClock {
  override monotonic = () => this.nowMs;
}

/** Callers with one key at once: one task. Another body under the key is refused, whoever comes first. */
export async function idempotencyRaces(
  seed: number,
  races: number,
  callers: readonly number[] = [CALLERS],
): Promise<Report> {
  const report = new Report();
  const random = new SeededRandom(seed);
  const clock = new PassingClock();
  const data = mkdtempSync(join(tmpdir(), 'harn-races-'));
  const start = () => startTestGateway({ data, clock, extraClients: [new PuppetClient(play)] });
  const winners: { path: string; key: string; id: string }[] = [];
  let gateway: TestGateway | undefined;
  try {
    gateway = await start();
    for (let race = 0; race < races; race += 1) {
      const mixed = random.chance(0.3);
      const terms = { mixed, otherFirst: random.chance(0.5), callers: random.pick(callers) };
      winners.push(await oneRace(gateway.client, `race-${seed}-${race}`, terms, report));
    }
    await gateway.close();
    gateway = await start();
    await afterRestart(gateway.client, clock, winners, report);
    await checkLog(gateway.client, report);
  } finally {
    await gateway?.close();
    rmSync(data, { recursive: true, force: true });
  }
  return report;
}

async function* play(turn: Turn): AsyncGenerator<Move[]> {
  yield [bind(turn)];
  yield [{ type: 'status', to: 'COMPLETED' }];
}

function submit(client: TestClient, path: string, key: string, body: string): Promise<TestAnswer<Task>> {
  const headers = { 'idempotency-key': key, 'content-type': 'application/json' };
  return client.call<Task>('POST', path, { body, headers });
}

interface Terms {
  /** Half of the callers send another body. */
  mixed: boolean;
  otherFirst: boolean;
  callers: number;
}

async function oneRace(
  client: TestClient,
  key: string,
  { mixed, otherFirst, callers }: Terms,
  report: Report,
) {
  const { id: session } = await client.session();
  const path = `/v1/sessions/${session}/tasks`;
  const bodies = [BODIES.same, mixed ? BODIES.other : BODIES.reordered];
  if (otherFirst) bodies.reverse();
  const answers = await Promise.all(
    Array.from({ length: callers }, (_, at) => submit(client, path, key, bodies[at % 2] ?? '')),
  );
  const accepted = answers.filter(({ status }) => status === 202);
  const ids = new Set(accepted.map(({ body }) => body.id));
  report.check(ids.size === 1, () => `${key} made the tasks ${[...ids].join(' ')}`);
  report.check(
    accepted.length === (mixed ? callers / 2 : callers),
    () => `${key}: ${accepted.length} accepted`,
  );
  for (const refused of answers.filter(({ status }) => status !== 202)) checkRefused(refused, key, report);
  if (!mixed) checkRefused(await submit(client, path, key, BODIES.other), key, report);
  const { data } = await client.get<{ data: Task[] }>(`/v1/sessions/${session}/tasks`);
  report.check(data.length === 1, () => `${key}: ${data.length} tasks in the session`);
  report.count('races');
  report.count('racing calls', callers);
  const winner = accepted[0]?.body;
  const text = winner?.input as { parts?: { text: string }[] } | undefined;
  report.count(
    mixed && text?.parts?.[0]?.text === 'ho' ? 'races won by the second body' : 'races won by the first',
  );
  return { path, key, id: winner?.id ?? '' };
}

function checkRefused({ status, text }: TestAnswer, key: string, report: Report): void {
  report.check(
    status === 409 && text.includes('"idempotency_key_reused"'),
    () => `${key} with another body: ${status} ${text}`,
  );
}

/** A key holds over a restart to the last millisecond of its window, and is free behind it. */
async function afterRestart(
  client: TestClient,
  clock: MovableClock,
  winners: readonly { path: string; key: string; id: string }[],
  report: Report,
): Promise<void> {
  clock.nowMs += WINDOW_MS;
  for (const { path, key, id } of winners) {
    const answers = [
      await submit(client, path, key, BODIES.same),
      await submit(client, path, key, BODIES.other),
    ];
    const [again, reused] = answers.sort((a, b) => a.status - b.status) as [
      TestAnswer<Task>,
      TestAnswer<Task>,
    ];
    report.check(again.body.id === id, () => `${key} made ${id}, after the restart ${again.text}`);
    checkRefused(reused, key, report);
  }
  clock.nowMs += 1;
  for (const { path, key, id } of winners) {
    const { status, body } = await submit(client, path, key, BODIES.same);
    report.check(status === 202 && body.id !== id, () => `${key} behind its window: ${status}, ${body.id}`);
  }
}
