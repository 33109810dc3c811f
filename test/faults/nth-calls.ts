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
/** Far more than a story makes of any call; a fault beyond its end just does not happen. */
const LAST = 40;

/** Stories with one failing call at a place drawn by lot. */
export async function nthCalls(seed: number, stories: number): Promise<Report> {
  const report = new Report();
  const random = new SeededRandom(seed);
  for (let story = 0; story < stories; story += 1) {
    const fault: StoreFault = {
      call: random.pick(CALLS),
      nth: random.between(1, LAST),
      write: random.pick(['lost', 'ghost']),
    };
    if (await storyWithFault(fault, report)) report.count('faults met');
  }
  return report;
}
