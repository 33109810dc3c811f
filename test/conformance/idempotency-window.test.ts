import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import { BATCHES_AT_START, forgetOldAnswers } from '#core/old-answers.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { ANSWERS_SWEPT_KEY } from '#store/keys.ts';
import { type LevelStoreOptions, openLevelStore } from '#store/level-store.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);

/** The log, and the keys of the commits that are read through it. */
function countingLooks(log: EventLog): { counted: EventLog; looked: string[] } {
  const looked: string[] = [];
  const counted: EventLog = Object.create(log, {
    head: { get: () => log.head },
    status: { get: () => log.status },
    indexKeys: { value: log.indexKeys.bind(log) },
    transact: { value: log.transact.bind(log) },
    record: {
      value: (key: string) => {
        if (key.startsWith('c/')) looked.push(key);
        return log.record(key);
      },
    },
  });
  return { counted, looked };
}

describe('the memory of keys', () => {
  let data = '';
  let now = START_MS;
  /** Time that passes shows on both clocks; a wall clock that is set shows on one. */
  let set = 0;
  const clock = { now: () => now + set, monotonic: () => performance.now() + now };
  let gateway: TestGateway | undefined;
  const start = async () => {
    gateway = await startTestGateway({ data, clock });
    return gateway.client;
  };
  const stop = async () => {
    await gateway?.close();
    gateway = undefined;
  };
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'harn-keys-'));
    now = START_MS;
    set = 0;
  });
  afterEach(async () => {
    await stop();
    rmSync(data, { recursive: true, force: true });
  });
  const create = async () => {
    const client = gateway?.client ?? (await start());
    const options = { body: { workspace_id: 'workspace_default' }, headers: { 'idempotency-key': 'once' } };
    const answer = await client.call('POST', '/v1/sessions', options);
    return { id: answer.body['id'], repeated: answer.headers.get('idempotency-replayed') === 'true' };
  };

  it('[CORE-IDEM-03] lasts 24 hours, over a restart, and then the key is free', async () => {
    const first = await create();
    expect(first.repeated).toBe(false);
    await stop();
    expect(await create()).toEqual({ id: first.id, repeated: true });
    now = START_MS + 24 * HOUR_MS - 1_000;
    expect(await create()).toEqual({ id: first.id, repeated: true });
    now = START_MS + 24 * HOUR_MS + 1_000;
    const later = await create();
    expect(later.repeated).toBe(false);
    expect(later.id).not.toBe(first.id);
  });

  it('is not shortened by a wall clock that is set forward, while running or over a restart', async () => {
    const first = await create();
    set = 10 * 365 * 24 * HOUR_MS;
    await gateway?.tidy();
    expect(await create()).toEqual({ id: first.id, repeated: true });
    await stop();
    expect(await create()).toEqual({ id: first.id, repeated: true });
    await gateway?.tidy();
    set = 0;
    expect(await create()).toEqual({ id: first.id, repeated: true });
    await stop();
    expect(await create()).toEqual({ id: first.id, repeated: true });
    now += 36 * HOUR_MS;
    expect((await create()).repeated).toBe(false);
  });

  it('is looked through a little by a start, however long the log, and the rest later', async () => {
    await start();
    if (gateway === undefined) throw new Error('no gateway');
    const { log } = gateway;
    const fact = { kind: 'note' };
    for (let n = 0; n < 450; n += 1)
      await log.transact({ actor: null }, (tx) => tx.record(`q/${n}`, JSON.stringify(fact)));
    const { counted, looked } = countingLooks(log);
    await forgetOldAnswers(counted, clock.now(), BATCHES_AT_START);
    expect(looked.length).toBeLessThanOrEqual(200);
    await forgetOldAnswers(counted, clock.now());
    expect(looked.length).toBeGreaterThanOrEqual(450);
    expect(new Set(looked).size).toBe(looked.length);
  });

  it('forgets what is over and nothing else, and looks at each commit once', async () => {
    const client = await start();
    if (gateway === undefined) throw new Error('no gateway');
    const { log } = gateway;
    const { counted, looked } = countingLooks(log);
    const sweep = async () => {
      looked.length = 0;
      return forgetOldAnswers(counted, clock.now());
    };
    const answers = async () => (await log.indexKeys({ gt: 'i/', lt: 'i0', limit: 1_000 })).length;
    const use = async (keys: number, first: string) => {
      for (let n = 0; n < keys; n += 1)
        await client.post('/v1/sessions', { workspace_id: 'workspace_default' }, `${first}-${n}`);
    };
    await use(30, 'early');
    now = START_MS + HOUR_MS;
    await use(20, 'late');
    await sweep();
    expect(await answers()).toBe(50);
    now = START_MS + 24 * HOUR_MS + 60_000;
    expect(await sweep()).toBe(30);
    expect(await answers()).toBe(20);
    expect(looked.length).toBeLessThan(40);
    expect(await sweep()).toBe(0);
    expect(looked.length).toBeLessThan(5);
    now = START_MS + 25 * HOUR_MS + 60_000;
    expect(await sweep()).toBe(20);
    expect(await answers()).toBe(0);
    const report: unknown[] = [];
    await stop();
    for await (const step of checkData(data, systemClock, systemRandom))
      if (step.kind !== 'progress') report.push(step);
    expect(report).toEqual([]);
  });

  it('forgets what is over, and starts, where the place it had reached cannot be read', async () => {
    const client = await start();
    for (const key of ['a', 'b'])
      await client.post('/v1/sessions', { workspace_id: 'workspace_default' }, `key-${key}`);
    await gateway?.tidy();
    await stop();
    const openStore = async (options: LevelStoreOptions): Promise<Store> => {
      const store = await openLevelStore(options);
      const get = (key: string) => {
        if (key === ANSWERS_SWEPT_KEY) throw new IntegrityError(key, 'a record', 'a damaged block');
        return store.get(key);
      };
      return new Proxy(store, {
        get: (target, name) => {
          const member = name === 'get' ? get : Reflect.get(target, name, target);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    };
    now = START_MS + 25 * HOUR_MS;
    gateway = await startTestGateway({ data, clock, openStore });
    await gateway.tidy();
    expect(await gateway.log.indexKeys({ gt: 'i/', lt: 'i0', limit: 10 })).toEqual([]);
    expect((await create()).repeated).toBe(false);
  });

  it('[CORE-IDEM-03] starts anew with the first use after it, whenever the old answer is swept', async () => {
    await create();
    now = START_MS + 24 * HOUR_MS + 1_000;
    const later = await create();
    expect(later.repeated).toBe(false);
    if (gateway === undefined) throw new Error('no gateway');
    await forgetOldAnswers(gateway.log, clock.now());
    expect(await create()).toEqual({ id: later.id, repeated: true });
  });
});
