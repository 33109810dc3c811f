import { amount, type Bench } from './bench.ts';
import { against } from './machine.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { timeEmptyNode, timeServe } from './served-process.ts';
import { median } from './statistics.ts';

const TARGET_MS = 400;

export const startUp: Bench = {
  id: 'P11',
  title: 'start on an empty store',
  async run({ effort, progress }) {
    const starts = amount(effort, { quick: 4, normal: 9 });
    const ready: number[] = [];
    const node: number[] = [];
    for (let start = 0; start <= starts; start += 1) {
      const [empty, served] = [await timeEmptyNode(), await timeServe(undefined, scratchDirectory())];
      if (start === 0) continue;
      node.push(empty);
      ready.push(served.readyMs);
      progress(`${served.readyMs.toFixed(0)} ms, node alone ${empty.toFixed(0)} ms`);
    }
    const readyMs = median(ready);
    return [
      {
        id: 'P11',
        what: 'start to the ready line, empty store, default configuration',
        measured: `${readyMs.toFixed(0)} ms`,
        baseline: `node that does nothing: ${median(node).toFixed(0)} ms`,
        ratio: readyMs / median(node),
        target: `<= ${TARGET_MS} ms (aim 250 ms)`,
        ...against(readyMs, { most: TARGET_MS }, 'json'),
        figures: { readyMs, nodeMs: median(node) },
      },
    ];
  },
};
