import { afterAll, describe, expect, it } from 'vitest';
import type { Receipt, WireReceipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { statusFrame, taskFrame } from '../../harness/a2a-words.ts';
import { acpUpstream } from '../../harness/acp-stage.ts';
import { startAcpAgent } from '../../harness/peers/acp-socket-agent.ts';
import { type Action, stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';

const agent = await startAcpAgent();
afterAll(() => agent.close());

const telling = (...actions: Action[]) =>
  startScriptedAgent({ SendStreamingMessage: stream(taskFrame('WORKING'), ...actions) });
const said = (usage: object, rest: object = {}) => statusFrame('WORKING', undefined, metadata(usage, rest));
const metadata = (usage: object, rest: object = {}) => ({ metadata: { usage, ...rest } });
const NOTHING = {
  cost: { currency: 'USD', total: 0, provider_breakdown: [] },
  model_route: { chosen_model: { provider: 'none', model: 'none' } },
};

describe('what agents say that they used, in receipts', () => {
  const stage = stageOf({
    agents: {
      paid: () =>
        telling(
          said({ input_tokens: 10, output_tokens: 2, cost_usd: 0.1 }),
          said(
            { input_tokens: 120, output_tokens: 40, cost_usd: 0.3 },
            { model: 'm-2', model_provider: 'maker' },
          ),
          taskFrame('COMPLETED', metadata({ input_tokens: 120, output_tokens: 40, cost_usd: 0.3 })),
        ),
      spoken: () =>
        telling({
          result: {
            statusUpdate: {
              taskId: 'r1',
              contextId: 'c1',
              status: {
                state: 'TASK_STATE_COMPLETED',
                message: {
                  messageId: 'm1',
                  role: 'ROLE_AGENT',
                  parts: [{ text: 'done' }],
                  ...metadata({ input_tokens: 7 }, { model: 'm-1' }),
                },
              },
            },
          },
        }),
      mixed: () =>
        telling(
          said({ cost: { amount: 2, currency: 'USD' } }),
          said({ cost: { amount: 1.5, currency: 'EUR' } }),
          taskFrame('COMPLETED'),
        ),
      absurd: () =>
        telling(
          said({ input_tokens: -5, output_tokens: 1.5, cost_usd: -1 }),
          said({ input_tokens: 1e300, cost: { amount: 3, currency: 'credits' } }),
          taskFrame('COMPLETED'),
        ),
    },
    extraClients: [acpUpstream([], { command: undefined, url: agent.url })],
  });

  async function run(route: string, text = 'go', sessionId?: string) {
    const { id } = await stage.client.submit(text, sessionId, { route });
    const task = await stage.client.until(id, 'COMPLETED');
    const { wire } = await stage.client.get<Receipt>(`/v1/receipts/${task.receipt_id}`);
    return { task, payload: wire.payload };
  }
  const consumed = ({ autonomy_budget }: WireReceipt) => autonomy_budget.consumed;
  const refused = async ({ id }: Task) =>
    (await stage.client.events(`/v1/tasks/${id}/events`)).flatMap(({ payload }) =>
      payload['note'] === 'usage_refused' ? [payload['details']] : [],
    );

  it('[S3-04] an A2A agent tells its model, tokens and cost in metadata, and the newest total counts once', async () => {
    const { payload } = await run('a2a:paid');
    expect(payload.model_route.chosen_model).toEqual({ provider: 'maker', model: 'm-2' });
    const figures = { amount: 0.3, input_tokens: 120, output_tokens: 40 };
    expect(payload.cost).toEqual({
      currency: 'USD',
      total: 0.3,
      provider_breakdown: [{ ...figures, model: 'm-2', provider: 'maker' }],
    });
    expect(consumed(payload)).toEqual({
      input_tokens: 120,
      output_tokens: 40,
      tool_calls: 0,
      usd: 0.3,
      wall_time_ms: expect.any(Number),
    });
  });

  it('the message that a task ends with tells it too', async () => {
    const { payload } = await run('a2a:spoken');
    expect(payload.model_route.chosen_model).toEqual({ provider: 'unknown', model: 'm-1' });
    expect(consumed(payload)).toMatchObject({ input_tokens: 7, usd: 0 });
  });

  it('amounts of several currencies are named one by one and never added', async () => {
    const { payload } = await run('a2a:mixed');
    expect(payload.cost).toEqual({
      currency: 'XXX',
      total: 0,
      provider_breakdown: [
        { amount: 1.5, metadata: { currency: 'EUR' }, provider: 'a2a:mixed' },
        { amount: 2, metadata: { currency: 'USD' }, provider: 'a2a:mixed' },
      ],
    });
    expect(consumed(payload)).not.toHaveProperty('usd');
  });

  it('figures that cannot be are kept as they came, noted, and not counted', async () => {
    const { task, payload } = await run('a2a:absurd');
    expect(payload).toMatchObject(NOTHING);
    expect(consumed(payload)).not.toHaveProperty('input_tokens');
    expect(await refused(task)).toEqual([
      { members: ['usage.input_tokens', 'usage.output_tokens', 'usage.cost_usd'] },
      { members: ['usage.input_tokens', 'usage.cost.currency'] },
    ]);
    expect(task.metadata).toMatchObject({ a2a: { metadata: { usage: { cost: { currency: 'credits' } } } } });
  });

  it('[S3-04] the cost of an ACP session is counted from where the task before left it, tokens are of the turn', async () => {
    const first = await run('acp:peer', 'spend 0.3 USD 120 40');
    expect(first.payload.cost).toMatchObject({ currency: 'USD', total: 0.3 });
    expect(consumed(first.payload)).toMatchObject({ input_tokens: 120, output_tokens: 40, usd: 0.3 });
    const second = await run('acp:peer', 'spend 0.4 USD 150 45', first.task.session_id);
    expect(second.payload.cost).toMatchObject({ currency: 'USD', total: 0.1 });
    expect(second.payload.cost.provider_breakdown).toEqual([
      { amount: 0.1, input_tokens: 150, output_tokens: 45, provider: 'acp:peer' },
    ]);
    expect(consumed(second.payload)).toMatchObject({ input_tokens: 150, output_tokens: 45, usd: 0.1 });
    expect(second.payload.model_route.chosen_model).toEqual({ provider: 'none', model: 'none' });
  });

  it.each([
    ['session', ['1000 50', '2100 95', '3350 160'], ['1000 50', '1100 45', '1250 65']],
    ['turn', ['1000 50', '1070 95', '1200 160'], ['1000 50', '1070 95', '1200 160']],
    ['turn', ['1000 50', '1000 50', '3500 10'], ['1000 50', '1000 50', '3500 10']],
  ])('[S3-12] tokens of an ACP agent that counts by %s: told %j, used %j', async (as, told, used) => {
    let sessionId: string | undefined;
    const found: string[] = [];
    const named: unknown[] = [];
    for (const tokens of told) {
      const { task, payload } = await run('acp:peer', `spend 0 USD ${tokens}`, sessionId);
      sessionId = task.session_id;
      const { input_tokens, output_tokens } = consumed(payload) as Record<string, number>;
      found.push(`${input_tokens} ${output_tokens}`);
      named.push((payload.metadata?.['tokens_counted'] as { as?: string } | undefined)?.as);
      const { id } = await stage.client.post<Task>(`/v1/tasks/${task.id}/replay`, { mode: 'exact' });
      await stage.client.until(id, 'COMPLETED', 'FAILED');
      const events = await stage.client.events(`/v1/tasks/${id}/events`);
      const end = events.find(({ event }) => event === 'replay.completed');
      expect(end?.payload).toMatchObject({ verdict: { status: 'byte_equal' } });
    }
    expect(found).toEqual(used);
    expect(named).toEqual([undefined, as, as]);
  });

  it('a replay counts from where the task itself did, and spends nothing', async () => {
    const first = await run('acp:peer', 'spend 0.3 USD 120 40');
    const second = await run('acp:peer', 'spend 0.4 USD 150 45', first.task.session_id);
    const { id } = await stage.client.post<Task>(`/v1/tasks/${second.task.id}/replay`, { mode: 'exact' });
    const replay = await stage.client.until(id, 'COMPLETED');
    const { wire } = await stage.client.get<Receipt>(`/v1/receipts/${replay.receipt_id}`);
    expect(wire.payload).toMatchObject(NOTHING);
    const events = await stage.client.events(`/v1/tasks/${id}/events`);
    const end = events.find(({ event }) => event === 'replay.completed');
    expect(end?.payload).toMatchObject({ verdict: { status: 'byte_equal' } });
  });

  it('units that are no currency are no cost', async () => {
    const { task, payload } = await run('acp:peer', 'spend 12 credits 5 5');
    expect(payload.cost).toEqual(NOTHING.cost);
    expect(consumed(payload)).toMatchObject({ input_tokens: 5, output_tokens: 5 });
    expect(await refused(task)).toEqual([{ members: ['cost.currency'] }]);
  });

  it('an agent that tells nothing used nothing that is known', async () => {
    const { payload } = await run('acp:peer', 'plan');
    expect(payload).toMatchObject(NOTHING);
    expect(consumed(payload)).toEqual({ tool_calls: 0, usd: 0, wall_time_ms: expect.any(Number) });
  });
});
