import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Receipt, WireReceipt } from '#resources/receipt/schema.ts';
import { Child, PROGRAM } from '../../../faults/child-processes.ts';
import { TestClient } from '../../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import { replayOf } from '../../../harness/runs.ts';
import { placeRecordedStore, RECORDED } from './recorded-store.ts';

const FIVE_YEARS_MS = 5 * 365 * 86_400_000;
const LATER = { now: () => Date.now() + FIVE_YEARS_MS, monotonic: () => performance.now() };
const CONFIG = {
  upstreams: { a2a: [{ id: 'other', card: 'http://127.0.0.1:9/card.json' }] },
  receipts: { issuer: 'harness_recorded' },
};
const FAULT = { kind: 'fault', code: 'upstream_unavailable', message: 'What if it had been down?' };
const TASKS: Record<'stream' | 'ask' | 'fail', string> = JSON.parse(
  readFileSync(new URL('tasks.json', RECORDED), 'utf8'),
);

/** Each of another source, so that it is the first replay of it whatever the order. */
const REPLAYS = {
  exact: [TASKS.fail, undefined],
  with_overrides: [
    TASKS.stream,
    {
      mode: 'with_overrides',
      override: { 'a2a:sample:1': { kind: 'llm_provider_response', value: FAULT, visibility: 'public' } },
      reason: 'determinism',
    },
  ],
  from_checkpoint: [TASKS.ask, { mode: 'from_checkpoint', checkpoint_id: `${TASKS.ask}.3` }],
} as const;
const MODES = Object.keys(REPLAYS) as (keyof typeof REPLAYS)[];

/** The canonical receipt without its signatures, as text. */
async function receiptText(client: TestClient, mode: keyof typeof REPLAYS): Promise<string> {
  const [taskId, body] = REPLAYS[mode];
  const { receipt_id, status, failure } = await replayOf(client, taskId, body);
  expect({ status, failure }).toEqual({ status: 'COMPLETED', failure: null });
  const { wire } = await client.get<Receipt>(`/v1/receipts/${receipt_id}`);
  const { signatures, ...unsigned }: WireReceipt = wire.payload;
  expect(signatures).toHaveLength(1);
  return String(canonicalize(unsigned));
}

describe('one recorded history on two gateways with stores, clocks, keys and time zones of their own', () => {
  const [one, two] = [
    mkdtempSync(join(tmpdir(), 'harn-replay-one-')),
    mkdtempSync(join(tmpdir(), 'harn-replay-two-')),
  ];
  const told = { one: new Map<string, string>(), two: new Map<string, string>() };
  let first: TestGateway;
  let second: Child;

  beforeAll(async () => {
    await placeRecordedStore(one);
    await placeRecordedStore(two);
    first = await startTestGateway({ data: one, config: CONFIG, clock: LATER });
    const file = join(two, 'gateway.yaml');
    writeFileSync(file, stringify({ server: { port: 0 }, store: { data: two }, ...CONFIG }));
    second = new Child([PROGRAM, 'serve', '--config', file], { TZ: 'Pacific/Kiritimati' });
    const { url } = JSON.parse((await second.firstLine()) ?? '{}') as { url: string };
    const key = readFileSync(join(two, 'dev-api-key'), 'utf8').trim();
    const client = new TestClient(url, key);
    for (const mode of MODES) told.one.set(mode, await receiptText(first.client, mode));
    // In another order, so that the log of the second one has them at other places.
    for (const mode of MODES.toReversed()) told.two.set(mode, await receiptText(client, mode));
  }, 60_000);

  afterAll(async () => {
    await second.end('SIGTERM');
    await first.close();
    for (const data of [one, two]) rmSync(data, { recursive: true, force: true });
  });

  it.each(MODES)(
    '[REPLAY-13] %s: the canonical receipts are the same bytes, and those that were kept',
    (mode) => {
      const kept = new URL(`${mode}.receipt.json`, RECORDED);
      expect(told.two.get(mode)).toBe(told.one.get(mode));
      expect(`${told.one.get(mode)}\n`).toBe(readFileSync(kept, 'utf8'));
    },
  );
});
