import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '#resources/agent/schema.ts';
import { A2aTestClient } from '../harness/a2a-client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { type SdkAgent, startSdkAgent, startSdkAgent03 } from '../harness/peers/sdk-agent.ts';

/** Methods in the words of 1.0. */
const METHODS: Readonly<Record<string, string>> = {
  'message/send': 'SendMessage',
  'message/stream': 'SendStreamingMessage',
  'tasks/get': 'GetTask',
  'tasks/cancel': 'CancelTask',
  'tasks/resubscribe': 'SubscribeToTask',
};

function asked(agent: SdkAgent): string[] {
  return agent.requests.flatMap(({ operation }) =>
    operation.startsWith('GET ') ? [] : [METHODS[operation] ?? operation],
  );
}

/** Between two things that the agent `slow` publishes. */
const SLOW_MS = 1_200;

const SDKS = [
  ['1.3', startSdkAgent],
  ['0.3.14', startSdkAgent03],
] as const;

describe.each(SDKS)('an agent written with @a2a-js/sdk %s', (_version, start) => {
  const agents: Record<string, SdkAgent> = {};
  let gateway: TestGateway;

  beforeAll(async () => {
    agents['once'] = await start();
    agents['always'] = await start({ task: 'always' });
    agents['still'] = await start({ streaming: false });
    agents['slow'] = await start({ streaming: false, pauseMs: SLOW_MS });
    const rows = Object.entries(agents).map(([id, { cardUrl }]) => ({ id, card: cardUrl }));
    gateway = await startTestGateway({ config: { upstreams: { a2a: rows } } });
  });
  afterAll(async () => {
    await gateway.close();
    for (const agent of Object.values(agents)) await agent.close();
  });

  const agentOf = (id: string): SdkAgent => {
    const agent = agents[id];
    if (agent === undefined) throw new Error(`no agent ${id}`);
    return agent;
  };
  const submit = (id: string, text: string) => gateway.client.submit(text, undefined, { route: `a2a:${id}` });
  const streaming = async (id: string) => {
    const { data } = await gateway.client.get<{ data: Agent[] }>('/v1/agents');
    return data.find((agent) => agent.id === id)?.streaming;
  };
  const eventsOf = (taskId: string) => gateway.client.events(`/v1/tasks/${taskId}/events`);

  it.each([
    ['publishes its Task once', 'once', 'blue'],
    ['publishes its Task as it stands first', 'always', 'blue'],
    ['publishes its Task as it stands first, and is quick', 'always', 'quick'],
    ['cannot stream', 'still', 'blue'],
    ['cannot stream, and is quick', 'still', 'quick'],
  ])('that %s gets the answer to its question once, and is heard to the end', async (_what, id, answer) => {
    const agent = agentOf(id);
    const before = agent.executed.length;
    const task = await submit(id, 'ask');
    await gateway.client.until(task.id, 'INPUT_REQUIRED');
    await gateway.client.answer(task.id, answer);
    await gateway.client.until(task.id, 'COMPLETED', 'FAILED', 'INPUT_REQUIRED');
    const ended = await gateway.client.until(task.id, 'COMPLETED', 'FAILED');
    expect(ended).toMatchObject({ status: 'COMPLETED', failure: null });
    expect(agent.executed.slice(before)).toEqual(['ask', answer]);
    const events = await eventsOf(task.id);
    const kinds = events.map(({ event }) => event).filter((kind) => kind.startsWith('task.'));
    expect(kinds).toEqual([
      'task.submitted',
      'task.started',
      'task.input_required',
      'task.status_changed',
      'task.completed',
    ]);
    const parts = events.flatMap(({ event, payload }) =>
      event.startsWith('artifact.') ? (payload['parts'] as { text: string }[]) : [],
    );
    expect(parts.map(({ text }) => text)).toEqual([`${answer} one`, `${answer} two`]);
  });

  it('goes on streaming after a question was answered, for everybody', async () => {
    const agent = agentOf('once');
    const before = asked(agent).length;
    const task = await submit('once', 'again');
    await gateway.client.until(task.id, 'COMPLETED');
    expect(asked(agent).slice(before)).toEqual(['SendStreamingMessage']);
    expect(await streaming('once')).toBe(true);
  });

  it('that loses a quick answer with the stream it refused hears the next one', async () => {
    const agent = agentOf('once');
    const before = agent.executed.length;
    const task = await submit('once', 'ask');
    await gateway.client.until(task.id, 'INPUT_REQUIRED');
    for (let answers = 1; answers <= 2; answers += 1) {
      await gateway.client.answer(task.id, 'quick');
      await gateway.client.until(task.id, 'WORKING', 'COMPLETED');
      if ((await gateway.client.until(task.id, 'INPUT_REQUIRED', 'COMPLETED')).status === 'COMPLETED') break;
      // The agent says for ever that it waits: what it did for the answer is in no store of its.
      expect(answers).toBe(1);
    }
    const { status } = await gateway.client.get<{ status: string }>(`/v1/tasks/${task.id}`);
    expect(status).toBe('COMPLETED');
    expect(agent.executed.slice(before + 1).length).toBeLessThanOrEqual(2);
    expect(await streaming('once')).toBe(true);
  });

  it('that cannot stream names its task at once, and is told of a cancel at once', async () => {
    const agent = agentOf('still');
    const { id } = await submit('still', 'long');
    await expect
      .poll(async () => (await eventsOf(id)).some(({ event }) => event.endsWith('upstream_bound')))
      .toBe(true);
    const begun = performance.now();
    const { status } = await gateway.client.post<{ status: string }>(`/v1/tasks/${id}/cancel`);
    expect(status).toBe('CANCELED');
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(agent.canceled).toHaveLength(1);
    const events = await eventsOf(id);
    expect(events.find(({ event }) => event === 'task.canceled')?.payload).toHaveProperty('material');
  });

  it('that cannot stream costs clients of the A2A face no wait for their first events', async () => {
    const client = new A2aTestClient(gateway, 'slow');
    const begun = performance.now();
    const seen: { atMs: number; said: string }[] = [];
    for await (const { data } of client.stream('SendStreamingMessage', { message: client.message('long') }))
      seen.push({ atMs: performance.now() - begun, said: JSON.stringify(data) });
    const at = (word: string) => seen.find(({ said }) => said.includes(word))?.atMs;
    expect(seen[0]?.said).toContain('"task"');
    expect(at('TASK_STATE_WORKING')).toBeLessThan(SLOW_MS);
    expect(at('TASK_STATE_COMPLETED')).toBeGreaterThan(2 * SLOW_MS);
    // What the agent publishes meanwhile is told meanwhile.
    expect(at('long one')).toBeLessThan(at('TASK_STATE_COMPLETED') ?? 0);
  });

  it('that cannot stream tells its artifacts while it works', async () => {
    const { id } = await submit('still', 'steps');
    await gateway.client.until(id, 'COMPLETED');
    const kinds = (await eventsOf(id)).map(({ event }) => event);
    expect(kinds.indexOf('vendor.harn_gateway.upstream_bound')).toBeLessThan(
      kinds.indexOf('artifact.created'),
    );
    expect(asked(agentOf('still'))).toContain('GetTask');
  });
});
