import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataPaths } from '#operation/data-directory.ts';
import { eventNumberOf } from '#protocol/ports.ts';
import type { Receipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { frameKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { seal, unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import type { TestEvent } from '../../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import { startSampleAgent } from '../../../harness/peers/sample-agent.ts';
import { eventsOf, replayOf, SAMPLE_RUNS } from '../../../harness/runs.ts';
import { changeEvent, segmentKey } from '../../../harness/stored-events.ts';

/** Changes a stored record and seals it again, as somebody would who knows how. */
async function change(store: Store, key: string, edit: (text: string) => string): Promise<void> {
  const sealed = store.get(key);
  if (!sealed) throw new Error(`nothing is stored at ${key}`);
  const text = unseal(sealed, key).toString();
  const changed = edit(text);
  expect(changed).not.toBe(text);
  await store.write([{ type: 'put', key, value: seal(changed, key) }]);
}

describe('replay after a restart, when the agent is gone and the store was touched', () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-replay-'));
  const tasks = new Map<string, Task>();
  const events = new Map<string, TestEvent[]>();
  let gateway: TestGateway;
  const task = (name: string) => tasks.get(name) as Task;
  const nth = (name: string, kind: string) => {
    const index = events.get(name)?.findIndex(({ event }) => event === kind) ?? -1;
    return { index, id: events.get(name)?.[index]?.id ?? '' };
  };

  beforeAll(async () => {
    const sample = await startSampleAgent();
    const config = { upstreams: { a2a: [{ id: 'sample', card: sample.cardUrl }] } };
    const before = await startTestGateway({ data, config });
    const plain = SAMPLE_RUNS['stream'] as (typeof SAMPLE_RUNS)[string];
    const runs = { ...SAMPLE_RUNS, tampered: plain, damaged: plain, eventless: plain, frameless: plain };
    for (const [name, run] of Object.entries(runs)) {
      tasks.set(name, await run(before.client));
      events.set(name, await eventsOf(before.client, task(name).id));
    }
    await before.close();
    await sample.close();
    const store = await openLevelStore({ path: dataPaths(data).store });
    await changeEvent(store, nth('tampered', 'task.submitted').id, (event) =>
      JSON.parse(JSON.stringify(event).replace('"public"', '"PUBLIC"')),
    );
    await change(store, frameKey(task('damaged').id, 2), (text) => text.replace('"message"', '"massage"'));
    await store.write([{ type: 'del', key: frameKey(task('frameless').id, 2) }]);
    const gone = segmentKey(store, nth('eventless', 'task.completed').id);
    await store.write([{ type: 'del', key: gone }]);
    await store.close();
    gateway = await startTestGateway({
      data,
      config: { upstreams: { a2a: [{ id: 'other', card: 'http://127.0.0.1:9/card.json' }] } },
    });
  }, 60_000);

  afterAll(async () => {
    await gateway.close();
    rmSync(data, { recursive: true, force: true });
  });

  it.each(Object.keys(SAMPLE_RUNS))(
    '%s is byte_equal, without the agent and its configuration',
    async (name) => {
      const replay = await replayOf(gateway.client, task(name).id);
      const completed = (await eventsOf(gateway.client, replay.id)).find(
        ({ event }) => event === 'replay.completed',
      );
      expect(completed?.payload['verdict']).toMatchObject({ status: 'byte_equal' });
    },
  );

  it('[N7-REPLAY] a changed event fails the replay task with the events it is stored with, what was written and what is there', async () => {
    const replay = await replayOf(gateway.client, task('tampered').id);
    const verdict = {
      status: 'tamper_detected',
      where: expect.stringMatching(/^\d{20}$/),
      through: expect.stringMatching(/^\d{20}$/),
      expected: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      observed: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    };
    expect(replay).toMatchObject({
      status: 'FAILED',
      failure: { details: { reason: 'tamper_detected', verdict } },
    });
    const failed = (await eventsOf(gateway.client, replay.id)).find(({ event }) => event === 'replay.failed');
    const found = failed?.payload['verdict'] as Record<'where' | 'through' | 'expected' | 'observed', string>;
    expect(found).toMatchObject(verdict);
    expect(found.expected).not.toBe(found.observed);
    const { id: changed } = nth('tampered', 'task.submitted');
    expect(found.where <= changed && changed <= found.through).toBe(true);
    expect(eventNumberOf(found.through) - eventNumberOf(found.where)).toBeLessThan(8);
    const { wire } = await gateway.client.get<Receipt>(`/v1/receipts/${replay.receipt_id}`);
    expect(wire.payload).toMatchObject({
      lifecycle: { final_state: 'FAILED', failure: { details: { reason: 'tamper_detected' } } },
      metadata: { replay: { source_task_id: task('tampered').id, verdict, run_final_state: null } },
    });
  });

  it('a changed frame is found before anything is made of it', async () => {
    const replay = await replayOf(gateway.client, task('damaged').id);
    expect(replay.failure?.details).toMatchObject({
      reason: 'tamper_detected',
      verdict: { where: 'a2a:sample:2' },
    });
    const kinds = (await eventsOf(gateway.client, replay.id)).map(({ event }) => event);
    expect(kinds).not.toContain('replay.event_replayed');
  });

  it('[REPLAY-07] refuses early, naming the first frame or event that is missing', async () => {
    const frameless = await gateway.client.call('POST', `/v1/tasks/${task('frameless').id}/replay`);
    expect(frameless).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', details: { missing: { kind: 'frame' } } } },
    });
    const eventless = await gateway.client.call('POST', `/v1/tasks/${task('eventless').id}/replay`);
    expect(eventless).toMatchObject({
      status: 410,
      body: {
        error: {
          code: 'cursor_expired',
          details: { missing: { kind: 'event', id: expect.stringMatching(/^\d{20}$/) } },
        },
      },
    });
  });
});
