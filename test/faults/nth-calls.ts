import type { StoreCall, StoreFault } from '../harness/faulty-store.ts';
import { Report } from './report.ts';
import { SeededRandom } from './seeded-random.ts';
import { storyWithFault } from './store-faults-story.ts';

const CALLS: readonly StoreCall[] = [
  'write',
  'write',
  'write',
  'get',
  'getMany',
  'entries',
  'keys',
  'reopen',
  'close',
];
/** Far more than a story makes of any call. */
const LAST = 40;

/** Stories with one failing call at a place drawn by lot; none is drawn beyond a place that no story reached. */
export async function nthCalls(seed: number, stories: number): Promise<Report> {
  const report = new Report();
  const random = new SeededRandom(seed);
  const last = new Map<StoreCall, number>();
  for (let story = 0; story < stories; story += 1) {
    const call = random.pick(CALLS);
    const nth = random.between(1, last.get(call) ?? LAST);
    const fault: StoreFault = {
      call,
      nth,
      write: random.pick(['lost', 'ghost']),
    };
    if (await storyWithFault(fault, report)) report.count('faults met');
    else last.set(call, Math.max(1, nth - 1));
  }
  return report;
}
