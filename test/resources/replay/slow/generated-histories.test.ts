import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArtifactDraft, Move, Turn } from '#protocol-client.ts';
import type { Task } from '#resources/task/schema.ts';
import { aborted, bind, chunk, PuppetClient, say, textOf } from '../../../faults/puppet-client.ts';
import { SeededRandom } from '../../../faults/seeded-random.ts';
import { userText } from '../../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import { eventsOf, replayOf } from '../../../harness/runs.ts';

const HISTORIES = 50;
const SEED = 20_260_425;
const ENDED = ['COMPLETED', 'FAILED', 'CANCELED'] as const;

/** One step that an agent may take in the middle of a run. */
const STEPS: readonly ((random: SeededRandom, at: number) => Move[])[] = [
  (random, at) => [say(`step ${at}: ${random.between(0, 1_000)}`)],
  (random, at) => [chunk(`piece ${at} `.repeat(1 + random.between(0, 20)), at > 0)],
  (_, at) => [say(`${at} of two at once`), chunk(`with ${at}`, true)],
  (random) => [{ type: 'reasoning', text: `because ${random.between(0, 100)}` }],
  (random) => [{ type: 'metadata', patch: { mood: random.between(0, 5), nested: { at: [null, 1.5, 'ü'] } } }],
  (random, at) => [
    { type: 'tool', tool: { step: 'requested', toolCallId: `t${at}`, name: 'look', input: { at } } },
    { type: 'tool', tool: { step: 'progress', toolCallId: `t${at}`, name: 'look', progress: 1, total: 2 } },
    {
      type: 'tool',
      tool: { step: 'completed', toolCallId: `t${at}`, name: 'look', output: random.between(0, 9) },
    },
  ],
  (_, at) => [{ type: 'artifact', artifact: { ...large(at), append: false, lastChunk: true } }],
  () => [{ type: 'status', to: 'WORKING', metadata: { still: true } }],
];

/** Longer than what is kept inline. */
function large(at: number): ArtifactDraft {
  const parts = [{ type: 'text', text: `${at} `.repeat(50_000), visibility: 'public' } as const];
  return { upstreamId: `large-${at}`, name: `large ${at}`, parts, append: false, lastChunk: true };
}

const FAILURE = { code: 'upstream_failed', type: 'upstream_error', message: 'as drawn' } as const;

/** The text of a task is its seed: what an agent does for it depends on that alone. */
async function* play(turn: Turn, signal: AbortSignal): AsyncGenerator<Move[]> {
  const text = textOf(turn);
  if (!/^\d+$/.test(text)) {
    yield [say(`You said: ${text}`)];
    yield [{ type: 'status', to: 'COMPLETED' }];
    return;
  }
  const random = new SeededRandom(Number(text));
  yield [bind(turn)];
  for (let at = 0, count = 1 + random.between(0, 8); at < count; at += 1)
    yield (STEPS[random.between(0, STEPS.length - 1)] as (typeof STEPS)[number])(random, at);
  const end = ENDS[Number(text) % ENDS.length];
  if (end === 'stay') await aborted(signal);
  else if (end === 'fail') yield [{ type: 'status', to: 'FAILED', failure: FAILURE }];
  else if (end === 'complete') yield [{ type: 'status', to: 'COMPLETED' }];
  else if (end === 'leave') yield [say('and goes without a word of the end')];
  else yield [{ type: 'status', to: end === 'ask' || end === 'cancel' ? 'INPUT_REQUIRED' : 'AUTH_REQUIRED' }];
}

/** How a run goes on after its steps; `stay` is canceled or interrupted while it works. */
const ENDS = [
  'complete',
  'ask',
  'fail',
  'stay',
  'login',
  'complete',
  'cancel',
  'leave',
  'deny',
  'stay',
] as const;

describe('generated histories', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      extraClients: [new PuppetClient(play)],
      config: { upstreams: { a2a: [] } },
    });
  });
  afterAll(() => gateway.close());

  /** Plays the part of the caller to the end of the run. */
  async function played(seed: number): Promise<Task> {
    const { client } = gateway;
    const { id } = await client.submit(String(seed), undefined, { route: 'test:puppet' });
    const end = ENDS[seed % ENDS.length];
    if (end === 'stay') {
      await client.until(id, 'WORKING');
      if (seed % 20 < 10) await client.post(`/v1/tasks/${id}/cancel`, { reason: 'Enough.' });
      else
        await client.post(`/v1/tasks/${id}/messages`, { kind: 'interrupt', message: userText('other work') });
    } else if (end !== 'complete' && end !== 'fail' && end !== 'leave') {
      await client.until(id, 'INPUT_REQUIRED', 'AUTH_REQUIRED');
      if (end === 'cancel') await client.post(`/v1/tasks/${id}/cancel`, {});
      else if (end === 'deny') await denied(id);
      else await client.answer(id, 'blue');
    }
    return client.until(id, ...ENDED);
  }

  async function denied(taskId: string): Promise<void> {
    const { data } = await gateway.client.get<{ data: { id: string }[] }>(
      `/v1/permission-requests?task_id=${taskId}`,
    );
    const answer = { approved: false, reason: 'No.' };
    await gateway.client.post(`/v1/permission-requests/${data[0]?.id}/respond`, answer);
  }

  it(`${HISTORIES} runs of seed ${SEED} are byte_equal when replayed`, async () => {
    const ends = new Set<string>();
    for (let at = 0; at < HISTORIES; at += 1) {
      const seed = SEED + at;
      const task = await played(seed);
      ends.add(task.status);
      const replay = await replayOf(gateway.client, task.id);
      const told = await eventsOf(gateway.client, replay.id);
      const end = told.find(({ event }) => event === 'replay.completed' || event === 'replay.failed');
      expect(
        end?.payload['verdict'] ?? end?.payload,
        `seed ${seed}: ${ENDS[seed % ENDS.length]}`,
      ).toMatchObject({
        status: 'byte_equal',
      });
    }
    expect([...ends].sort()).toEqual([...ENDED].sort());
  }, 120_000);
});
