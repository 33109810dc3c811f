import { afterAll, describe, expect, it } from 'vitest';
import { isTerminal } from '#protocol/task-states.ts';
import type { Quota } from '#resources/quota/schema.ts';
import type { Receipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { killChildren } from '../../../faults/child-processes.ts';
import { GatewayPlace, type GatewayProcess, startAgentProcess } from '../../../faults/gateway-process.ts';
import { type TestClient, userText } from '../../../harness/client.ts';

const ROOM = 10;
const SUBMISSIONS = 200;
/** Far more than a recovery takes on a busy machine. */
const LATER = { timeout: 20_000 };
/** Answers after which the gateway is killed: early, and in the middle of the race. */
const KILL_AFTER = [1, 7, 60];

const QUOTAS = [
  // The agent tells no tokens: what is not reserved any more is left.
  { id: 'tokens', scope: 'organization', limits: { tokens: ROOM * 100 }, per_task: { tokens: 100 } },
  {
    id: 'runtime',
    scope: 'organization',
    limits: { runtime_seconds: 100_000 },
    per_task: { runtime_seconds: 60 },
    window: 'never',
  },
];

afterAll(killChildren);

describe('SIGKILL while 200 submissions race for a quota (P-01, P-02)', () => {
  it('loses no reservation, leaves none behind, and takes no task too many', async () => {
    const agent = await startAgentProcess();
    const place = new GatewayPlace({
      upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
      limits: { cancel_wait_ms: 500 },
      quotas: QUOTAS,
    });
    try {
      let gateway = await place.start();
      for (const answers of KILL_AFTER) {
        await raceAndKill(gateway, answers);
        gateway = await place.start();
        await expectReserved(gateway.client);
        await fillUp(gateway.client);
        await endAll(gateway.client);
        await expectSettled(gateway.client);
      }
      await gateway.stop();
      const { code, stdout } = await place.check();
      expect([code, stdout]).toEqual([0, expect.stringContaining(' 0 findings')]);
    } finally {
      await agent.end();
      place.remove();
    }
  }, 240_000);
});

async function raceAndKill(gateway: GatewayProcess, answers: number): Promise<void> {
  const sessions = await Promise.all(Array.from({ length: 20 }, () => gateway.client.session()));
  let seen = 0;
  let kill: () => void = () => undefined;
  const enough = new Promise<void>((resolve) => {
    kill = resolve;
  });
  const racing = Array.from({ length: SUBMISSIONS }, async (_, n) => {
    // Again and again until the gateway is gone: answers come in too many pieces to be sure that the last is still out.
    for (;;) {
      await submit(gateway.client, sessions[n % sessions.length]?.id ?? '');
      seen += 1;
      if (seen === answers) kill();
    }
  });
  const settled = Promise.allSettled(racing);
  await enough;
  await gateway.kill();
  const outcomes = await settled;
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
}

const submit = (client: TestClient, session_id: string) =>
  client.call('POST', '/v1/tasks', { body: { session_id, input: userText('slow 60') } });

const usageOf = async (client: TestClient, id: string) =>
  (await client.get<Quota>(`/v1/quotas/${id}`)).usage as Record<string, number>;

async function tasksOf(client: TestClient): Promise<Task[]> {
  return (await client.get<{ data: Task[] }>('/v1/tasks?limit=200')).data;
}

/** What is open has its reservation, whatever the recovery made of it in between. */
async function expectReserved(client: TestClient): Promise<void> {
  await expect
    .poll(async () => {
      const before = await usageOf(client, 'tokens');
      const open = (await tasksOf(client)).filter(({ status }) => !isTerminal(status)).length;
      const after = await usageOf(client, 'tokens');
      const isStill = before['tokens_reserved'] === after['tokens_reserved'];
      return isStill && open <= ROOM && after['tokens_reserved'] === open * 100;
    }, LATER)
    .toBe(true);
}

/** Exactly the room that is left is there to be taken. */
async function fillUp(client: TestClient): Promise<void> {
  const session = (await client.session()).id;
  const answers = await Promise.all(Array.from({ length: ROOM + 5 }, () => submit(client, session)));
  expect(answers.some(({ status }) => status === 422)).toBe(true);
  await expect.poll(async () => (await submit(client, session)).status, LATER).toBe(422);
  expect((await usageOf(client, 'tokens'))['tokens_reserved']).toBe(ROOM * 100);
  expect((await tasksOf(client)).filter(({ status }) => !isTerminal(status))).toHaveLength(ROOM);
}

async function endAll(client: TestClient): Promise<void> {
  const open = (await tasksOf(client)).filter(({ status }) => !isTerminal(status));
  for (const { id } of open) await client.call('POST', `/v1/tasks/${id}/cancel`, { body: {} });
  for (const { id } of open) await client.until(id, 'CANCELED', 'FAILED');
}

/** Everything was given back, and what was used is what the receipts of all tasks tell. */
async function expectSettled(client: TestClient): Promise<void> {
  expect(await usageOf(client, 'tokens')).toMatchObject({ tokens: 0, tokens_reserved: 0 });
  const tasks = await tasksOf(client);
  const receipts = await Promise.all(
    tasks.map(({ receipt_id }) => client.get<Receipt>(`/v1/receipts/${receipt_id}`)),
  );
  const workedMs = receipts.reduce((sum, { wire }) => sum + Number(wire.payload.metadata?.['worked_ms']), 0);
  const { runtime_seconds, runtime_seconds_reserved } = await usageOf(client, 'runtime');
  expect(runtime_seconds_reserved).toBe(0);
  expect(runtime_seconds).toBeCloseTo(workedMs / 1000, 6);
}
