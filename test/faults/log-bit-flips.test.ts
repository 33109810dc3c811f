import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLog } from '#eventlog/check-log.ts';
import { EMPTY_HEAD } from '#eventlog/commit-walk.ts';
import type { Finding } from '#eventlog/finding.ts';
import { verifyTail } from '#eventlog/verify-tail.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { loadRooms } from '#resources/load-rooms.ts';
import { saidSlots } from '#resources/said-slots.ts';
import { KEY_KINDS, keysUnder } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import type { Store } from '#store/store.ts';
import { SeededRandom } from './seeded-random.ts';
import { StockedData } from './stocked-data.ts';

const { project } = await loadRooms();

const SEED = Number(process.env['FAULTS_SEED'] ?? 20_261_122);
const FLIPS = 2_000;
/** The start verifies what came after its checkpoint in the same way; so many show that. */
const STARTS = 200;

/** The store as it is, but for one value. */
function withValue(store: Store, changed: string, value: Buffer): Store {
  const of = (key: string, stored: Buffer | undefined) => (key === changed ? value : stored);
  const overlay: Pick<Store, 'get' | 'getMany' | 'entries'> = {
    get: (key) => of(key, store.get(key)),
    getMany: async (keys) => {
      const stored = await store.getMany(keys);
      return keys.map((key, at) => of(key, stored[at]));
    },
    async *entries(range) {
      for await (const page of store.entries(range))
        yield page.map(([key, stored]): [string, Buffer] => [key, of(key, stored) ?? stored]);
    },
  };
  return Object.assign(Object.create(store, { keys: { value: store.keys.bind(store) } }), overlay);
}

describe('a bit that flipped in an event or a commit of a gateway', () => {
  const stocked = new StockedData();
  let store: Store;
  let records: [string, Buffer][];
  beforeAll(async () => {
    await stocked.make(1);
    store = await openLevelStore({ path: dataPaths(stocked.data).store });
    records = [];
    for (const { prefix } of [KEY_KINDS.event, KEY_KINDS.commit])
      for await (const page of store.entries(keysUnder(prefix))) records.push(...page);
  }, 60_000);
  afterAll(async () => {
    await store.close();
    stocked.remove();
  });

  /** Every bit is as likely as any other. */
  function flipped(random: SeededRandom): { key: string; value: Buffer; where: string } {
    const total = records.reduce((sum, [, { length }]) => sum + length, 0);
    let at = random.between(0, total - 1);
    const bit = random.between(0, 7);
    for (const [key, stored] of records) {
      if (at >= stored.length) {
        at -= stored.length;
        continue;
      }
      const value = Buffer.from(stored);
      value[at] = (value[at] ?? 0) ^ (1 << bit);
      return { key, value, where: `${key} byte ${at} bit ${bit}` };
    }
    throw new Error('There is no such byte.');
  }

  async function findings(changed: Store): Promise<Finding[]> {
    const all: Finding[] = [];
    for await (const step of checkLog({ store: changed, projection: project, said: saidSlots }))
      if (step.kind === 'finding') all.push(step.finding);
    return all;
  }

  it('is not there yet', async () => {
    expect(await findings(store)).toEqual([]);
    expect((await verifyTail(store, EMPTY_HEAD)).integrity).toEqual({ status: 'ok' });
  });

  it(`[S3-01] is found by the log check at its record, ${FLIPS} times (seed ${SEED})`, async () => {
    const random = new SeededRandom(SEED);
    for (let n = 0; n < FLIPS; n += 1) {
      const { key, value, where } = flipped(random);
      const [first, ...others] = await findings(withValue(store, key, value));
      expect([first?.problem, first?.where], `${where}: ${JSON.stringify(others)}`).toEqual(['hash', key]);
    }
  }, 300_000);

  it(`[S3-01] is found by the start at its record, ${STARTS} times (seed ${SEED})`, async () => {
    const random = new SeededRandom(SEED + 1);
    for (let n = 0; n < STARTS; n += 1) {
      const { key, value, where } = flipped(random);
      const { integrity } = await verifyTail(withValue(store, key, value), EMPTY_HEAD);
      expect(integrity, where).toMatchObject({ status: 'damaged', where: key });
    }
  }, 60_000);
});
