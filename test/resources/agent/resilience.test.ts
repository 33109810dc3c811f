import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '#resources/agent/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../../conformance/event-findings.ts';
import { taskFrame } from '../../harness/a2a-words.ts';
import { collectingGarbage } from '../../harness/collect-garbage.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import type { Peer } from '../../harness/peers/peer.ts';
import { type Answer, json, rpcError, stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';
import { replayOf } from '../../harness/runs.ts';

const done = () => stream(taskFrame('WORKING'), taskFrame('COMPLETED'));
const down = () => json({}, 503);

describe('an agent that fails', () => {
  const peers: Record<string, Peer> = {};
  const answers: Record<string, Answer> = {};
  let gateway: TestGateway;
  let passedMs = 0;
  const client = () => gateway.client;

  beforeAll(async () => {
    for (const id of ['shop', 'backup', 'busy', 'patient', 'alone']) {
      answers[id] = done;
      peers[id] = await startScriptedAgent({
        SendStreamingMessage: (call) => {
          const answer = answers[id] ?? done;
          return typeof answer === 'function' ? answer(call) : answer;
        },
      });
    }
    peers['cardless'] = await startScriptedAgent({
      'GET /.well-known/agent-card.json': json({}, 500),
    });
    gateway = await startTestGateway({
      clock: { now: () => Date.now(), monotonic: () => performance.now() + passedMs },
      config: {
        upstreams: { a2a: Object.entries(peers).map(([id, { cardUrl }]) => ({ id, card: cardUrl })) },
        resilience: [
          { agent: 'a2a:shop', breaker: { failures: 2, open_ms: 60_000 }, fallback: 'a2a:backup' },
          { agent: 'a2a:busy', retries: { share: 0.5, most: 2, pause_ms: 1 } },
          { agent: 'a2a:backup', fallback: 'a2a:shop' },
          { agent: 'a2a:cardless', fallback: 'a2a:backup' },
          { agent: 'a2a:patient', retries: { share: 0.5, most: 2, pause_ms: 1 } },
          { agent: 'a2a:alone', breaker: { failures: 1, open_ms: 60_000 } },
        ],
      },
    });
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    for (const peer of Object.values(peers)) await peer.close();
  });

  const sent = (id: string) => peers[id]?.requests.filter(({ method }) => method === 'POST').length ?? 0;
  async function run(route: string): Promise<Task> {
    const { id } = await client().submit('go', undefined, { route });
    return client().until(id, 'COMPLETED', 'FAILED', 'CANCELED');
  }
  const eventsOf = ({ id }: Task) => client().events(`/v1/tasks/${id}/events`);
  const agent = async (route: string) =>
    (await client().get<{ data: Agent[] }>('/v1/agents')).data.find((each) => each.route === route);
  async function byteEqual(task: Task) {
    const replay = await replayOf(client(), task.id);
    const ended = (await eventsOf(replay)).find(({ event }) => /^replay\.(completed|failed)$/.test(event));
    expect(ended?.payload['verdict']).toMatchObject({ status: 'byte_equal' });
  }

  it('hands new tasks to its fallback, which the record says, and gets them again when it is back', async () => {
    answers['shop'] = down;
    const moved = await run('a2a:shop');
    expect(moved).toMatchObject({ status: 'COMPLETED', assigned_agent_id: 'a2a:backup' });
    const event = (await eventsOf(moved)).find((each) => each.event === 'vendor.harn_gateway.task_moved');
    expect(event?.payload).toEqual({ from: 'a2a:shop', to: 'a2a:backup', reason: 'http_status' });
    const { data: receipts } = await client().get<{ data: unknown[] }>(`/v1/tasks/${moved.id}/receipts`);
    expect(JSON.stringify(receipts)).toContain('a2a:backup');
    expect(JSON.stringify(receipts)).not.toContain('a2a:shop');
    await byteEqual(moved);

    await run('a2a:shop');
    const before = sent('shop');
    const unsent = await run('a2a:shop');
    // The circuit is open now: nothing was sent there.
    expect([unsent.assigned_agent_id, sent('shop')]).toEqual(['a2a:backup', before]);
    expect((await eventsOf(unsent)).find((each) => each.event.endsWith('task_moved'))?.payload).toMatchObject(
      {
        reason: 'circuit_open',
      },
    );
    await byteEqual(unsent);
    expect(await agent('a2a:shop')).toMatchObject({
      circuit: { state: 'open', failures: 2, until: expect.any(String) },
      fallback: 'a2a:backup',
      halt_id: null,
    });
    const { text } = await client().call('GET', '/metrics');
    expect(text).toContain('harn_upstream_circuit{agent="a2a:shop"} 2');
    expect(text).toContain('harn_upstream_fallbacks{agent="a2a:shop"} 3');

    answers['shop'] = done;
    passedMs += 60_000;
    expect((await agent('a2a:shop'))?.circuit?.state).toBe('half_open');
    expect(await run('a2a:shop')).toMatchObject({ status: 'COMPLETED', assigned_agent_id: 'a2a:shop' });
    expect((await agent('a2a:shop'))?.circuit).toMatchObject({ state: 'closed', failures: 0 });
  });

  it('hands new tasks to its fallback where it has no card either', async () => {
    const moved = await run('a2a:cardless');
    expect(moved).toMatchObject({ status: 'COMPLETED', assigned_agent_id: 'a2a:backup' });
    await byteEqual(moved);
  });

  it('may be the fallback of its fallback: a task goes on once', async () => {
    answers['shop'] = down;
    answers['backup'] = down;
    const [atShop, atBackup] = [sent('shop'), sent('backup')];
    const failed = await run('a2a:backup');
    expect(failed).toMatchObject({ status: 'FAILED', assigned_agent_id: 'a2a:shop' });
    expect([sent('shop'), sent('backup')]).toEqual([atShop + 1, atBackup + 1]);
    answers['shop'] = done;
    answers['backup'] = done;
    await byteEqual(failed);
  });

  it('is sent a turn again where it says when, within its budget, which the record says', async () => {
    let calls = 0;
    answers['busy'] = () => {
      calls += 1;
      return calls === 1 ? json({}, 503, { 'Retry-After': '0' }) : done();
    };
    const task = await run('a2a:busy');
    expect([task.status, calls]).toEqual(['COMPLETED', 2]);
    const notes = (await eventsOf(task)).filter(({ payload }) => payload['note'] === 'turn_retried');
    expect(notes.map(({ payload }) => payload['details'])).toEqual([
      { code: 'upstream_unavailable', reason: 'http_status', attempt: 1 },
    ]);
    await byteEqual(task);
    // Without a word when to come again it may have done something.
    calls = -10;
    answers['busy'] = () => {
      calls += 1;
      return json({}, 500);
    };
    expect((await run('a2a:busy')).status).toBe('FAILED');
    expect(calls).toBe(-9);
  });

  it('is sent it again when garbage is collected in the pause', async () => {
    answers['patient'] = json({}, 429, { 'Retry-After': '1' });
    const task = run('a2a:patient');
    await expect.poll(() => sent('patient')).toBe(1);
    answers['patient'] = done;
    expect((await collectingGarbage(task)).status).toBe('COMPLETED');
  });

  it('fails tasks at once while its circuit is open, where no other agent is there for it', async () => {
    answers['alone'] = rpcError(-32602, 'No.');
    await run('a2a:alone');
    // A refusal of what was asked is none of the server.
    expect((await agent('a2a:alone'))?.circuit).toMatchObject({ state: 'closed', failures: 0 });
    answers['alone'] = down;
    await run('a2a:alone');
    const before = sent('alone');
    const task = await run('a2a:alone');
    expect(task).toMatchObject({
      status: 'FAILED',
      failure: { code: 'upstream_unavailable', details: { reason: 'circuit_open', route: 'a2a:alone' } },
    });
    expect(sent('alone')).toBe(before);
    await byteEqual(task);
  });
});
