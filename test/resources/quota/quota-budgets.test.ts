import { afterEach, describe, expect, it } from 'vitest';
import type { Move, Turn } from '#protocol-client.ts';
import type { Quota } from '#resources/quota/schema.ts';
import type { Receipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { MovableClock } from '../../faults/idempotency-races.ts';
import { aborted, bind, PuppetClient, textOf } from '../../faults/puppet-client.ts';
import { type TestAnswer, userText } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What a task is told to do: `use` is told by the agent before it ends as `end` says, or hangs. */
interface Order {
  use?: { tokens?: number; usd?: number };
  end?: 'COMPLETED' | 'FAILED' | 'INPUT_REQUIRED';
  /** How far the clock goes while it works. */
  workMs?: number;
  /** Whether the agent waits for the test before it goes on. */
  waits?: boolean;
}

const usage = ({ tokens = 0, usd = 0 }: NonNullable<Order['use']>): Move => ({
  type: 'usage',
  usage: { counts: 'total', input_tokens: tokens, output_tokens: 0, cost: { amount: usd, currency: 'USD' } },
});

describe('budgets of quotas', () => {
  let gateway: TestGateway | undefined;
  let clock: MovableClock;
  let letGo: () => void = () => undefined;
  afterEach(() => gateway?.close());

  async function* play(turn: Turn, signal: AbortSignal): AsyncGenerator<Move[]> {
    const order = JSON.parse(textOf(turn)) as Order;
    yield [bind(turn)];
    clock.nowMs += order.workMs ?? 0;
    if (order.waits) await new Promise<void>((resolve) => (letGo = resolve));
    if (order.use) yield [usage(order.use)];
    if (order.end === undefined) return aborted(signal);
    yield [{ type: 'status', to: order.end }];
  }

  async function start(quota: object): Promise<TestGateway> {
    clock = new MovableClock();
    gateway = await startTestGateway({
      clock,
      extraClients: [new PuppetClient(play)],
      config: {
        limits: { max_running_tasks: 500 },
        quotas: [{ id: 'q', scope: 'organization', ...quota }],
      },
    });
    return gateway;
  }

  const submit = async (
    { client }: TestGateway,
    order: Order,
    session?: string,
  ): Promise<TestAnswer<Task>> => {
    const session_id = session ?? (await client.session()).id;
    return client.call<Task>('POST', '/v1/tasks', {
      body: { session_id, input: userText(JSON.stringify(order)) },
    });
  };
  const run = async (at: TestGateway, order: Order, ...states: Task['status'][]): Promise<Task> => {
    const { status, body } = await submit(at, order);
    expect(status).toBe(202);
    return at.client.until(body.id, ...(states.length > 0 ? states : (['COMPLETED', 'FAILED'] as const)));
  };
  const quotaOf = ({ client }: TestGateway) => client.get<Quota>('/v1/quotas/q');

  it.each([
    ['a hard budget', { limits: { tokens: 1000 }, per_task: { tokens: 100 } }, 422, 'tokens'],
    ['a soft budget', { limits: { spend: 1 }, per_task: { spend: 0.1 }, hard_limit: false }, 429, 'spend'],
    ['a rate', { limits: { tasks_per_hour: 10 }, hard_limit: false }, 429, 'tasks_per_hour'],
    ['concurrency', { limits: { concurrent_tasks: 10 }, hard_limit: false }, 429, 'concurrent_tasks'],
  ])(
    '[EXT-QUO-02] P-01 of 200 submissions at once %s takes exactly ten',
    async (_name, quota, status, limit) => {
      const at = await start(quota);
      const sessions = await Promise.all(Array.from({ length: 20 }, () => at.client.session()));
      const racing = Array.from({ length: 200 }, (_, n) => submit(at, {}, sessions[n % 20]?.id));
      const seen = await Promise.all(Array.from({ length: 10 }, () => quotaOf(at)));
      const answers = await Promise.all(racing);
      expect(answers.filter((answer) => answer.status === 202)).toHaveLength(10);
      const refused = answers.filter((answer) => answer.status !== 202);
      expect(new Set(refused.map((answer) => answer.status))).toEqual(new Set([status]));
      for (const { headers } of refused) expect(headers.has('retry-after')).toBe(status === 429);
      for (const { usage: used, limits } of [...seen, await quotaOf(at)]) {
        const taken = (used[limit] ?? 0) + (used[`${limit}_reserved`] ?? 0);
        expect(taken).toBeLessThanOrEqual(limits[limit] ?? 0);
      }
      expect(await quotaOf(at)).toMatchObject({ exhaustion_reason: limit });
    },
  );

  it('[EXT-QUO-01] P-02 reservations become what was used when a task ends, in whatever way, as its receipt tells', async () => {
    const at = await start({
      limits: { tokens: 1000, spend: 10, runtime_seconds: 100 },
      per_task: { tokens: 400, spend: 2, runtime_seconds: 30 },
    });
    const open = await submit(at, { use: { tokens: 70, usd: 0.7 } });
    expect((await quotaOf(at)).usage).toMatchObject({ tokens: 0, tokens_reserved: 400, spend_reserved: 2 });
    const done = await run(at, { use: { tokens: 50, usd: 0.5 }, end: 'COMPLETED', workMs: 5_000 });
    const failed = await run(at, { use: { tokens: 30, usd: 0.25 }, end: 'FAILED' });
    await at.client.post(`/v1/tasks/${open.body.id}/cancel`);
    const canceled = await at.client.until(open.body.id, 'CANCELED');
    const payloads = await Promise.all(
      [done, failed, canceled].map(
        async ({ receipt_id }) => (await at.client.get<Receipt>(`/v1/receipts/${receipt_id}`)).wire.payload,
      ),
    );
    const consumed = payloads.map(({ autonomy_budget }) => autonomy_budget.consumed);
    const total = (member: 'input_tokens' | 'usd') =>
      consumed.reduce((sum, row) => sum + (row[member] ?? 0), 0);
    expect(total('input_tokens')).toBe(150);
    expect(payloads[0]?.metadata).toMatchObject({ quota_ids: ['q'], worked_ms: 5_000 });
    const { usage: used, last_receipt_id } = await quotaOf(at);
    expect(used).toMatchObject({ tokens: total('input_tokens'), spend: total('usd') });
    // The open task worked while the clock went on, too.
    expect(used['runtime_seconds']).toBe(10);
    expect(used).toMatchObject({ tokens_reserved: 0, spend_reserved: 0, runtime_seconds_reserved: 0 });
    expect(last_receipt_id).toBe(canceled.receipt_id);
  });

  it('a run that uses more than was set aside blocks the next start while it runs, and what waits for it', async () => {
    const at = await start({ limits: { tokens: 1000 }, per_task: { tokens: 100 } });
    const session = (await at.client.session()).id;
    const greedy = await submit(at, { waits: true, use: { tokens: 5000 } }, session);
    const waiting = await submit(at, { end: 'COMPLETED' }, session);
    expect(waiting.status).toBe(202);
    letGo();
    await expect
      .poll(async () => (await quotaOf(at)).usage['tokens_reserved'], { timeout: 20_000 })
      .toBe(5100);
    expect((await submit(at, {})).body).toMatchObject({
      error: { code: 'policy_violation', details: { limit: 'tokens' } },
    });
    await at.client.post(`/v1/tasks/${greedy.body.id}/cancel`);
    const blocked = await at.client.until(waiting.body.id, 'FAILED', 'COMPLETED');
    expect(blocked).toMatchObject({
      status: 'FAILED',
      started_at: null,
      failure: {
        code: 'policy_violation',
        details: { limit: 'tokens', reset_at: '2026-11-22T00:00:00.000Z' },
      },
    });
    expect((await quotaOf(at)).usage).toMatchObject({ tokens: 5000, tokens_reserved: 0 });
  });

  it('a task that asks goes on only while its quotas have something left', async () => {
    const at = await start({ limits: { tokens: 1000 }, per_task: { tokens: 100 } });
    const asking = await run(at, { use: { tokens: 2000 }, end: 'INPUT_REQUIRED' }, 'INPUT_REQUIRED');
    const message = userText(JSON.stringify({ end: 'COMPLETED' }));
    const answer = () =>
      at.client.call('POST', `/v1/tasks/${asking.id}/messages`, { body: { kind: 'input', message } });
    const refused = await answer();
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ error: { details: { quota_id: 'q', limit: 'tokens' } } });
    expect(await at.client.get(`/v1/tasks/${asking.id}`)).toMatchObject({ status: 'INPUT_REQUIRED' });
    await at.client.post(`/v1/tasks/${asking.id}/cancel`);
    expect((await quotaOf(at)).usage).toMatchObject({ tokens: 2000, tokens_reserved: 0 });
  });

  it('a run that goes on longer than was set aside counts while it runs', async () => {
    const at = await start({ limits: { runtime_seconds: 100 }, per_task: { runtime_seconds: 10 } });
    await submit(at, {});
    clock.nowMs += 60_000;
    expect((await submit(at, { end: 'COMPLETED' })).status).toBe(202);
    clock.nowMs += 60_000;
    expect((await submit(at, { end: 'COMPLETED' })).status).toBe(422);
    expect((await quotaOf(at)).exhaustion_reason).toBe('runtime_seconds');
  });

  it.each([
    ['hour', '2026-11-21T01:00:00.000Z', HOUR_MS],
    ['day', '2026-11-22T00:00:00.000Z', DAY_MS],
    ['month', '2026-12-01T00:00:00.000Z', 10 * DAY_MS],
  ])(
    'P-03 a budget of a %s begins again with the next one, and not when the clock goes back',
    async (window, reset_at, untilMs) => {
      const at = await start({
        limits: { tokens: 100 },
        per_task: { tokens: 100 },
        window,
        hard_limit: false,
      });
      const spend = () => run(at, { use: { tokens: 100 }, end: 'COMPLETED' });
      const refusedUntil = async (seconds: number) => {
        const { status, headers, body } = await submit(at, {});
        expect([status, headers.get('retry-after')]).toEqual([429, String(seconds)]);
        expect(body).toMatchObject({ error: { details: { limit: 'tokens', reset_at: expect.any(String) } } });
      };
      await spend();
      expect(await quotaOf(at)).toMatchObject({
        reset_at,
        usage: { tokens: 100 },
        exhaustion_reason: 'tokens',
      });
      await refusedUntil(untilMs / 1000);
      clock.nowMs += untilMs - 1_000;
      await refusedUntil(1);
      clock.nowMs += 1_000;
      expect(await quotaOf(at)).toMatchObject({ usage: { tokens: 0 }, exhaustion_reason: null });
      await spend();
      for (const jump of [-DAY_MS, -HOUR_MS, DAY_MS + HOUR_MS]) {
        clock.nowMs += jump;
        expect((await submit(at, {})).status).toBe(429);
      }
    },
  );

  it('a budget without a window is used up for good', async () => {
    const at = await start({ limits: { spend: 1 }, per_task: { spend: 0.5 }, window: 'never' });
    await run(at, { use: { usd: 0.75 }, end: 'COMPLETED' });
    clock.nowMs += 400 * DAY_MS;
    const { status, body } = await submit(at, {});
    expect(status).toBe(422);
    expect(body).toMatchObject({
      error: { message: 'A quota of spend is used up. Ask your operator for more.' },
    });
    expect(await quotaOf(at)).toMatchObject({ reset_at: null, usage: { spend: 0.75 } });
  });
});
