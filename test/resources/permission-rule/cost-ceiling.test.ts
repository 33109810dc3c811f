import { describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { statusFrame, taskFrame } from '../../harness/a2a-words.ts';
import { type Action, result, stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';
import { replayOf } from '../../harness/runs.ts';

const canceled = { ...taskFrame('CANCELED'), id: 'r1' };
const agent = (...actions: Action[]) =>
  startScriptedAgent({
    SendStreamingMessage: stream(taskFrame('WORKING'), ...actions),
    CancelTask: result(canceled),
  });
const costs = (usd: number) => statusFrame('WORKING', undefined, { metadata: { usage: { cost_usd: usd } } });

describe('the cost ceiling of the permission policy', () => {
  const stage = stageOf({
    agents: {
      cheap: () => agent(costs(0.1), taskFrame('COMPLETED')),
      greedy: () => agent(costs(0.1), costs(0.5), { hang: true }),
      silent: () => agent(taskFrame('COMPLETED')),
    },
  });

  const ceiling = (cents: number | null) =>
    stage.client.call('PUT', '/v1/permissions/policy', { body: { llm: { cost_ceiling_usd_cents: cents } } });
  async function run(route: string, sessionId: string): Promise<Task> {
    const { id } = await stage.client.submit('go', sessionId, { route: `a2a:${route}` });
    return stage.client.until(id, 'COMPLETED', 'FAILED', 'CANCELED');
  }
  const session = async () => (await stage.client.session()).id;
  const notesOf = async ({ id }: Task) =>
    (await stage.client.events(`/v1/tasks/${id}/events`)).flatMap(({ payload }) =>
      payload['note'] === 'cost_unknown' ? [payload['details']] : [],
    );
  const verdictOf = async ({ id }: Task) => {
    const replay = await replayOf(stage.client, id);
    const events = await stage.client.events(`/v1/tasks/${replay.id}/events`);
    return events.find(({ event }) => /^replay\.(completed|failed)$/.test(event))?.payload['verdict'];
  };

  it('keeps the next turn of a session from beginning once its runs have cost that much', async () => {
    await ceiling(20);
    const where = await session();
    expect((await run('cheap', where)).status).toBe('COMPLETED');
    expect((await run('cheap', where)).status).toBe('COMPLETED');
    const third = await run('cheap', where);
    expect(third).toMatchObject({
      status: 'FAILED',
      failure: { code: 'policy_violation', details: { rule: 'policy.cost_ceiling' } },
    });
    // Another session has its own, and a higher ceiling lets this one go on.
    expect((await run('cheap', await session())).status).toBe('COMPLETED');
    await ceiling(50);
    expect((await run('cheap', where)).status).toBe('COMPLETED');
    expect(await verdictOf(third)).toMatchObject({ status: 'byte_equal' });
  });

  it('ends a turn whose agent reports more, and tells the agent to stop', async () => {
    await ceiling(20);
    const task = await run('greedy', await session());
    expect(task).toMatchObject({
      status: 'FAILED',
      failure: {
        code: 'policy_violation',
        message:
          'The runs of the session have cost 50 US cents, and the permission policy lets them cost 20. The agent was told to stop.',
        details: { rule: 'policy.cost_ceiling', cost_usd_cents: 50, cost_ceiling_usd_cents: 20 },
      },
    });
    expect(await verdictOf(task)).toMatchObject({ status: 'byte_equal' });
  });

  it('says so where no agent has said what it costs', async () => {
    await ceiling(20);
    const where = await session();
    expect(await notesOf(await run('silent', where))).toEqual([{ cost_ceiling_usd_cents: 20 }]);
    await run('cheap', where);
    expect(await notesOf(await run('silent', where))).toEqual([]);
  });

  it('is none where none is installed', async () => {
    await ceiling(null);
    const where = await session();
    expect(await notesOf(await run('silent', where))).toEqual([]);
    for (let runs = 0; runs < 3; runs += 1) expect((await run('cheap', where)).status).toBe('COMPLETED');
  });
});
