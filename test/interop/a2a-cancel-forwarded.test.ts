import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Receipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import { signal } from '../harness/a2a-stage.ts';
import { task as remoteTask, statusFrame, taskFrame } from '../harness/a2a-words.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { json, result, rpcError, type Script, stream } from '../harness/peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { startSdkAgent } from '../harness/peers/sdk-agent.ts';
import { replayOf } from '../harness/runs.ts';
import { runCommand } from './command-line.ts';

const WAIT_MS = 1_000;
const works = stream(taskFrame('WORKING'), { hang: true });
const asks = stream(taskFrame('WORKING'), statusFrame('INPUT_REQUIRED', 'which?'));
const asked = signal();
const UNNAMED = 'The agent has not named its task yet.';

describe('a cancel', () => {
  const peers: ScriptedPeer[] = [];
  const rows: { id: string; card: string }[] = [];
  let sdk: Awaited<ReturnType<typeof startSdkAgent>>;
  let gateway: TestGateway;

  /** The agents, by what becomes of a cancel there. */
  const SCRIPTS: Record<string, Script> = {
    down: { SendStreamingMessage: works },
    mute: { SendStreamingMessage: works, CancelTask: stream({ hang: true }) },
    unnamed: { SendStreamingMessage: stream({ hang: true }) },
    refusing: {
      SendStreamingMessage: works,
      CancelTask: rpcError(-32002, 'No.'),
      GetTask: result(remoteTask('WORKING')),
    },
    gone: { SendStreamingMessage: asks },
    asking: { SendStreamingMessage: asks, CancelTask: stream({ hang: true }) },
    streaming: {
      SendStreamingMessage: stream(taskFrame('WORKING'), { until: asked.given }, statusFrame('CANCELED')),
      CancelTask: () => {
        asked.give();
        return stream({ hang: true });
      },
    },
    broken: { SendStreamingMessage: works, CancelTask: json({}, 500) },
    willing: { SendStreamingMessage: works, CancelTask: result(remoteTask('CANCELED')) },
  };

  beforeAll(async () => {
    for (const [id, script] of Object.entries(SCRIPTS)) {
      const peer = await startScriptedAgent(script);
      peers.push(peer);
      rows.push({ id, card: peer.cardUrl });
    }
    sdk = await startSdkAgent();
    rows.push({ id: 'sdk', card: sdk.cardUrl });
    gateway = await startTestGateway({
      config: { upstreams: { a2a: rows }, limits: { cancel_wait_ms: WAIT_MS } },
    });
  });
  afterAll(async () => {
    await gateway.close();
    for (const peer of [...peers, sdk]) await peer.close();
  });

  const eventsOf = (id: string) => gateway.client.events(`/v1/tasks/${id}/events`);

  /** A task at that agent, canceled while it works. */
  async function canceled(agent: string): Promise<Task> {
    const { id } = await gateway.client.submit('long', undefined, { route: `a2a:${agent}` });
    const isBound = () => gateway.log.state<TaskState>(taskKeys.task(id))?.internal.binding !== null;
    if (agent === 'unnamed') await peers[2]?.arrived('SendStreamingMessage');
    else await expect.poll(isBound).toBe(true);
    // Its port is closed, as that of an agent whose process was killed.
    if (agent === 'down') await peers[0]?.close();
    return gateway.client.post<Task>(`/v1/tasks/${id}/cancel`, { reason: 'Enough.' });
  }

  async function told(task: Task) {
    const end = (await eventsOf(task.id)).find(({ event }) => event === 'task.canceled');
    const outcome = await gateway.client.get<{ summary: string }>(`/v1/outcomes/${task.outcome_id}`);
    const { wire } = await gateway.client.get<Receipt>(`/v1/receipts/${task.receipt_id}`);
    return {
      event: end?.payload['cancel'],
      receipt: wire.payload.metadata?.['cancel'],
      summary: outcome.summary,
    };
  }

  it.each([
    [
      'that cannot be reached',
      'down',
      'not_reached',
      expect.stringContaining('connect'),
      'was not reached and may',
    ],
    ['that has not named its task', 'unnamed', 'not_reached', UNNAMED, 'was not reached and may'],
    ['that does not answer', 'mute', 'unanswered', null, 'did not answer the cancel in time and may'],
    ['that refuses', 'refusing', 'refused', null, 'was reached, did not cancel, and may'],
    [
      'that fails',
      'broken',
      'refused',
      expect.stringContaining('HTTP 500'),
      'was reached, did not cancel, and may',
    ],
  ])(
    'of an agent %s says so in the event, the receipt and the outcome',
    async (_what, id, agent, because, words) => {
      const task = await canceled(id);
      expect(task.status).toBe('CANCELED');
      const said = await told(task);
      expect(said).toMatchObject({ event: { agent, because }, receipt: { agent, because } });
      expect(said.summary).toBe(`Enough. The agent ${words} go on.`);
      const replay = await replayOf(gateway.client, task.id);
      const completed = (await eventsOf(replay.id)).find(({ event }) => event === 'replay.completed');
      expect(completed?.payload['verdict']).toMatchObject({ status: 'byte_equal' });
    },
  );

  it.each([
    ['that cannot be reached', 'gone', 'refuses connections'],
    ['that does not answer', 'asking', 'did not answer the cancel in time'],
  ])(
    'of a task that waited, at an agent %s, is followed by an event that says so',
    async (_what, agent, words) => {
      const { id } = await gateway.client.submit('long', undefined, { route: `a2a:${agent}` });
      await gateway.client.until(id, 'INPUT_REQUIRED');
      if (agent === 'gone') await peers[Object.keys(SCRIPTS).indexOf('gone')]?.close();
      await gateway.client.post<Task>(`/v1/tasks/${id}/cancel`);
      const notes = async () =>
        (await eventsOf(id)).flatMap(({ payload }) =>
          payload['note'] === 'cancel_not_confirmed' ? [JSON.stringify(payload['details'])] : [],
        );
      await expect.poll(notes).toEqual([expect.stringContaining(words)]);
    },
  );

  it.each(['willing', 'sdk'])('that the agent %s confirmed says nothing of the kind', async (id) => {
    const begun = performance.now();
    const task = await canceled(id);
    expect(task.status).toBe('CANCELED');
    // The agent `willing` leaves its stream open.
    expect(performance.now() - begun).toBeLessThan(WAIT_MS);
    const { event, receipt, summary } = await told(task);
    expect([event, receipt]).toEqual([undefined, undefined]);
    expect(summary).not.toContain('may go on');
  });

  it('that the stream of the agent confirms is answered at once, although the request is not', async () => {
    const { id } = await gateway.client.submit('long', undefined, { route: 'a2a:streaming' });
    await expect.poll(() => gateway.log.state<TaskState>(taskKeys.task(id))?.internal.binding).not.toBeNull();
    const begun = performance.now();
    const { status } = await gateway.client.post<Task>(`/v1/tasks/${id}/cancel`);
    expect([status, performance.now() - begun < WAIT_MS]).toEqual(['CANCELED', true]);
  });

  it('of an agent that was not reached is told on the command line', async () => {
    const { id } = await canceled('unnamed');
    const access = ['--url', gateway.url, '--key', gateway.client.key];
    const { code, out } = await runCommand(['task', '--task', id, '--follow', ...access]);
    expect(out).toContain(`task.canceled: The agent was not reached and may go on. ${UNNAMED}\n`);
    expect(code).toBe(1);
  });
});
