import { amount, type Bench, type Row } from './bench.ts';
import { writeConfig } from './data-directory.ts';
import { against } from './machine.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { timeEmptyNode, timeServe } from './served-process.ts';
import { median } from './statistics.ts';

const TARGET_MS = 600;

export const startUp: Bench = {
  id: 'P11',
  title: 'start on an empty store',
  async run({ effort, progress }) {
    const starts = amount(effort, { quick: 4, normal: 9 });
    const withAgent: number[] = [];
    const alone: number[] = [];
    const node: number[] = [];
    for (let start = 0; start <= starts; start += 1) {
      const [empty, whole, without] = [await timeEmptyNode(), await serveDefault(), await serveAlone()];
      if (start === 0) continue;
      node.push(empty);
      withAgent.push(whole);
      alone.push(without);
      progress(`${whole.toFixed(0)} ms, without the sample agent ${without.toFixed(0)} ms`);
    }
    return [
      rowOf('start to the ready line, empty store, default configuration', withAgent, node, true),
      rowOf('the same without the sample agent', alone, node, false),
    ];
  },
};

async function serveDefault(): Promise<number> {
  return (await timeServe(undefined, scratchDirectory())).readyMs;
}

async function serveAlone(): Promise<number> {
  const data = scratchDirectory();
  return (await timeServe(writeConfig(data), data)).readyMs;
}

function rowOf(what: string, mine: readonly number[], node: readonly number[], isTarget: boolean): Row {
  const readyMs = median(mine);
  return {
    id: 'P11',
    what,
    measured: `${readyMs.toFixed(0)} ms`,
    baseline: `node that does nothing: ${median(node).toFixed(0)} ms`,
    ratio: readyMs / median(node),
    target: isTarget ? `< ${TARGET_MS} ms` : '',
    ...(isTarget ? against(readyMs, { most: TARGET_MS }, 'json') : { met: undefined }),
    figures: { readyMs, nodeMs: median(node) },
  };
}
