import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { Move, Turn } from '#protocol-client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { MovableClock } from './idempotency-races.ts';
import { checkLog } from './log-oracle.ts';
import { bind, chunk, PuppetClient, textOf } from './puppet-client.ts';
import { Report } from './report.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const JUMPS: Record<string, number> = {
  'an hour forward': HOUR_MS,
  'an hour back': -HOUR_MS,
  'ten years forward': 10 * YEAR_MS,
  'twenty years back': -20 * YEAR_MS,
  'and on again': 11 * YEAR_MS,
};

let data: string;
let clock: MovableClock;
let gateway: TestGateway;
const start = () => startTestGateway({ data, clock, extraClients: [new PuppetClient(play)] });

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'harn-clock-'));
  clock = new MovableClock();
  gateway = await start();
});
afterEach(async () => {
  await gateway.close();
  rmSync(data, { recursive: true, force: true });
});

/** The clock jumps between the frames of a turn, too, unless the task is to go calmly. */
async function* play(turn: Turn): AsyncGenerator<Move[]> {
  yield [bind(turn)];
  if (textOf(turn) === 'calmly') return yield [{ type: 'status', to: 'COMPLETED' }];
  for (const [at, jump] of Object.values(JUMPS).entries()) {
    clock.nowMs += jump;
    yield [chunk(`part ${at}`, at > 0)];
  }
  yield [{ type: 'status', to: 'COMPLETED' }];
}

describe('a wall clock that jumps (O-03)', () => {
  it('leaves the order of events, ids and times as it was, within a turn and over a restart', async () => {
    const made: string[] = [];
    for (const jump of Object.values(JUMPS)) {
      const task = await gateway.client.submit('go');
      await gateway.client.until(task.id, 'COMPLETED');
      made.push(task.id);
      clock.nowMs += jump;
    }
    clock.nowMs -= HOUR_MS;
    await gateway.close();
    gateway = await start();
    const task = await gateway.client.submit('go');
    await gateway.client.until(task.id, 'COMPLETED');
    made.push(task.id);

    const report = new Report();
    const events = await checkLog(gateway.client, report);
    expect(report.violations).toEqual([]);
    const times = events.map((event) => String(event['created_at']));
    expect(times).toEqual([...times].sort());
    const { data: tasks } = await gateway.client.get<{ data: { id: string }[] }>('/v1/tasks');
    expect(tasks.map(({ id }) => id)).toEqual([...made].reverse());
    await gateway.close();
    for await (const step of checkData(data, systemClock, systemRandom))
      expect(step.kind).not.toBe('finding');
    gateway = await start();
  });

  it('does not run into a timeout or give a task twice under one key', async () => {
    const session = (await gateway.client.session()).id;
    const body = { input: { role: 'user', parts: [{ type: 'text', text: 'calmly', visibility: 'public' }] } };
    const path = `/v1/sessions/${session}/tasks`;
    const first = await gateway.client.post<{ id: string }>(path, body, 'one');
    await gateway.client.until(first.id, 'COMPLETED', 'FAILED');
    const afterwards = clock.nowMs;
    for (const jump of [-HOUR_MS, -YEAR_MS, -20 * YEAR_MS, 0]) {
      clock.nowMs = afterwards + jump;
      expect((await gateway.client.post<{ id: string }>(path, body, 'one')).id).toBe(first.id);
    }
    expect((await gateway.client.until(first.id, 'COMPLETED', 'FAILED')).failure).toBeNull();
  });
});
