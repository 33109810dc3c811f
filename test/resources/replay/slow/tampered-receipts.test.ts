import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataPaths } from '#operation/data-directory.ts';
import type { Receipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { layoutKey, receiptKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { seal, unseal } from '#store/sealed-record.ts';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import { startSampleAgent } from '../../../harness/peers/sample-agent.ts';
import { eventsOf, replayOf, SAMPLE_RUNS } from '../../../harness/runs.ts';

/** What somebody who knows how records are sealed does to a receipt: which of the two, and how. */
const FORGERIES = {
  'the end of the task is told otherwise': [1, (text: string) => text.replace('"SUCCEEDED"', '"FAILED"')],
  'the acceptance is dated back': [0, (text: string) => text.replace(/"issued_at":"20/, '"issued_at":"19')],
  'a signature is another one': [1, (text: string) => text.replace(/"base64:[^"]{8}/, '"base64:AAAAAAAA')],
  'the link to the receipt before is cut': [
    1,
    (text: string) => text.replace(/"previous_receipt_hash":"[^"]+"/, '"previous_receipt_hash":null'),
  ],
} as const;
const NAMES = [...Object.keys(FORGERIES), 'unsealed', 'receiptless', 'artifactless'];

describe('the receipts of a run are verified before it is replayed', () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-replay-receipts-'));
  const tasks = new Map<string, Task>();
  const receipts = new Map<string, string[]>();
  const artifacts = new Map<string, string>();
  let gateway: TestGateway;
  const idOf = (name: string) => tasks.get(name)?.id ?? '';
  const receiptOf = (name: string, at: number) => receipts.get(name)?.[at] ?? '';

  beforeAll(async () => {
    const sample = await startSampleAgent();
    const config = {
      upstreams: { a2a: [{ id: 'sample', card: sample.cardUrl }] },
      receipts: { acceptance: true },
    };
    const before = await startTestGateway({ data, config });
    for (const name of NAMES) {
      const task = await (SAMPLE_RUNS['stream'] as (typeof SAMPLE_RUNS)[string])(before.client);
      tasks.set(name, task);
      const { data: listed } = await before.client.get<{ data: Receipt[] }>(`/v1/tasks/${task.id}/receipts`);
      receipts.set(name, listed.map(({ id }) => id).reverse());
      const { data: made } = await before.client.get<{ data: { id: string }[] }>(
        `/v1/artifacts?task_id=${task.id}`,
      );
      artifacts.set(name, made[0]?.id ?? '');
    }
    await before.close();
    await sample.close();
    const store = await openLevelStore({ path: dataPaths(data).store });
    for (const [name, [at, forge]] of Object.entries(FORGERIES)) {
      const key = receiptKey(receiptOf(name, at));
      const text = unseal(store.get(key) as Buffer, key).toString();
      expect(forge(text)).not.toBe(text);
      await store.write([{ type: 'put', key, value: seal(forge(text), key) }]);
    }
    const unsealed = receiptKey(receiptOf('unsealed', 1));
    const bytes = Buffer.from(store.get(unsealed) as Buffer);
    bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
    await store.write([
      { type: 'put', key: unsealed, value: bytes },
      { type: 'del', key: receiptKey(receiptOf('receiptless', 0)) },
      { type: 'del', key: layoutKey(artifacts.get('artifactless') ?? '') },
    ]);
    await store.close();
    gateway = await startTestGateway({ data, config: { upstreams: { a2a: [] } } });
  }, 60_000);

  afterAll(async () => {
    await gateway.close();
    rmSync(data, { recursive: true, force: true });
  });

  it.each([
    ...Object.entries(FORGERIES).map(([name, [index]]) => [name, index] as const),
    ['unsealed', 1] as const,
  ])(
    '[N7-REPLAY] %s: tamper_detected at receipt %i of the chain, and nothing is run',
    async (name, index) => {
      const replay = await replayOf(gateway.client, idOf(name));
      expect(replay).toMatchObject({
        status: 'FAILED',
        failure: {
          details: {
            reason: 'tamper_detected',
            verdict: {
              index,
              where: expect.stringMatching(`^receipt ${index} of session_\\w+: \\w+$`),
              expected: expect.any(String),
              observed: expect.any(String),
            },
          },
        },
      });
      const verdict = replay.failure?.details?.['verdict'] as Record<string, string> | undefined;
      expect(verdict?.['expected']).not.toBe(verdict?.['observed']);
      const kinds = (await eventsOf(gateway.client, replay.id)).map(({ event }) => event);
      expect(kinds).toContain('replay.failed');
      expect(kinds).not.toContain('replay.event_replayed');
    },
  );

  it.each([
    ['receipt', 'receiptless', () => receiptOf('receiptless', 0)],
    ['artifact', 'artifactless', () => artifacts.get('artifactless')],
  ] as const)('[REPLAY-07] refuses early, naming the %s that is missing', async (kind, name, missing) => {
    expect(await gateway.client.call('POST', `/v1/tasks/${idOf(name)}/replay`)).toMatchObject({
      status: 409,
      body: {
        error: { code: 'conflict', details: { task_id: idOf(name), missing: { kind, id: missing() } } },
      },
    });
  });
});
