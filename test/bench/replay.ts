import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { amount, type Bench, type Row } from './bench.ts';
import { Child } from './child.ts';
import { nowMs } from './closed-loop.ts';
import { writeConfig } from './data-directory.ts';
import { type GatewayAddress, GatewayClient } from './gateway-client.ts';
import { against } from './machine.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median } from './statistics.ts';

/** Chunks of one artifact: with what surrounds them about as many events as the target names. */
const CHUNKS = 490;
const TARGET_MS = 100;
const TEXT = `stream ${CHUNKS}`;

export const replay: Bench = {
  id: 'P7',
  title: 'replay of a long run',
  async run({ effort, progress, profileDir }) {
    const agent = await startSampleAgent();
    const config = writeConfig(scratchDirectory(), [{ id: 'sample', card: agent.cardUrl }]);
    const gateway = new Child<GatewayAddress>('gateway-child', { args: { config, echo: false }, profileDir });
    const client = new GatewayClient(await gateway.ready, 2);
    try {
      const rounds = amount(effort, { quick: 3, normal: 9 });
      const replays: number[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        const source = await client.submit(await client.session(), TEXT);
        await client.followToEnd(source);
        const tookMs = await replayed(client, source);
        // The first one meets code that never ran.
        if (round > 0) replays.push(tookMs);
        progress(`${tookMs.toFixed(0)} ms`);
      }
      return [rowOf(median(replays))];
    } finally {
      await Promise.all([client.close(), gateway.stop(), agent.close()]);
    }
  },
};

/** From the request to the durable verdict, which has to be byte_equal. */
async function replayed(client: GatewayClient, source: string): Promise<number> {
  const startedAt = nowMs();
  const { id } = JSON.parse(await client.post(`/v1/tasks/${source}/replay`, '{}')) as { id: string };
  const endedAt = await client.followToEnd(id);
  const receipts = await client.get(`/v1/tasks/${id}/receipts`);
  if (!receipts.includes('"byte_equal"'))
    throw new Error(`The replay of ${source} is not byte_equal: ${receipts}`);
  return endedAt - startedAt;
}

function rowOf(tookMs: number): Row {
  return {
    id: 'P7',
    what: `replay of a task with ${CHUNKS} chunks, from the request to the durable verdict`,
    measured: `${tookMs.toFixed(0)} ms`,
    baseline: '',
    ratio: undefined,
    target: `< ${TARGET_MS} ms`,
    ...against(tookMs, { most: TARGET_MS }, 'json'),
    figures: { replayMs: tookMs },
  };
}
