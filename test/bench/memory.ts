import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataPaths } from '#operation/data-directory.ts';
import { amount, type Bench, type Row } from './bench.ts';
import { GatewayClient } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { rssOfTree, startServe } from './served-process.ts';

const TARGET_MB = 180;

export const memory: Bench = {
  id: 'P16',
  title: 'memory of an idle gateway',
  async run({ effort }) {
    const quietMs = amount(effort, { quick: 3_000, normal: 10_000 });
    const data = scratchDirectory();
    const gateway = await startServe(undefined, data);
    try {
      await sleep(quietMs);
      const started = rowOf('just started', rssOfTree(gateway.pid));
      await runTask(gateway.url, readFileSync(dataPaths(data).devKey, 'utf8').trim());
      await sleep(quietMs);
      return [started, rowOf('after a task of the bundled agent, which runs since', rssOfTree(gateway.pid))];
    } finally {
      await gateway.stop();
    }
  },
};

async function runTask(url: string, key: string): Promise<void> {
  const client = new GatewayClient({ url, key }, 1);
  const id = await client.submit(await client.session(), 'stream 3');
  await client.followToEnd(id);
  await client.close();
}

function rowOf(when: string, processes: ReturnType<typeof rssOfTree>): Row {
  const megabytes = processes.map(({ rssBytes }) => rssBytes / 1024 / 1024);
  const all = megabytes.reduce((sum, each) => sum + each, 0);
  const met = all <= TARGET_MB;
  return {
    id: 'P16',
    what: `RSS of all processes, default configuration, ${when}`,
    measured: `${all.toFixed(0)} MB (${megabytes.map((each) => each.toFixed(0)).join(' + ')})`,
    baseline: '',
    ratio: undefined,
    target: `<= ${TARGET_MB} MB (aim 120 MB)`,
    met,
    figures: { rssMb: all, processes: processes.length },
  };
}
