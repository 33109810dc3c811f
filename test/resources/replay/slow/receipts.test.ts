import { describe, expect, it } from 'vitest';
import { verifyReceipts } from '#receipts/standalone/verify-receipts.ts';
import type { Receipt, WireReceipt } from '#resources/receipt/schema.ts';
import { wireReceipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { stageOf } from '../../../conformance/stage.ts';
import type { TestClient } from '../../../harness/client.ts';
import { eventsOf, replayOf, SAMPLE_RUNS } from '../../../harness/runs.ts';

const plain = SAMPLE_RUNS['stream'] as (typeof SAMPLE_RUNS)[string];
const FAULT = { kind: 'fault', code: 'upstream_unavailable', message: 'What if it had been down?' };

async function receiptOf(client: TestClient, { receipt_id }: Task): Promise<WireReceipt> {
  return (await client.get<Receipt>(`/v1/receipts/${receipt_id}`)).wire.payload;
}

describe('the receipt of a replay', () => {
  const stage = stageOf();
  const verify = (receiptId: string | null) =>
    stage.client.post<{ valid: boolean }>(`/v1/receipts/${receiptId}/verify`);

  it('[C12] [C15] is issued with its end; follows its source, names no key, and tells the verdict', async () => {
    const source = await plain(stage.client);
    const replay = await replayOf(stage.client, source.id);
    const { data } = await stage.client.get<{ data: Receipt[] }>(`/v1/tasks/${replay.id}/receipts`);
    expect(data.map(({ subject }) => subject.object).sort()).toEqual(['replay_segment']);
    const of = await receiptOf(stage.client, source);
    const receipt = await receiptOf(stage.client, replay);
    expect(wireReceipt.parse(receipt)).toEqual(receipt);
    expect(receipt).toMatchObject({
      subject: { object: 'replay_segment', id: replay.id },
      identifiers: { ...of.identifiers, task_id: replay.id },
      issued_at: of.issued_at,
      metadata: {
        replay: { source_task_id: source.id, ordinal: 1, mode: 'exact', verdict: { status: 'byte_equal' } },
      },
    });
    const { receipt_hash: _, ...links } = receipt.chain;
    expect(links).toEqual({ previous_receipt_hash: of.chain.receipt_hash });
    expect(receipt.issuer.public_key_id).toBeUndefined();
    const events = await eventsOf(stage.client, replay.id);
    expect(events.slice(-2).map(({ event }) => event)).toEqual(['task.completed', 'receipt.issued']);
    const outcome = await stage.client.get(`/v1/outcomes/${replay.outcome_id}`);
    expect(outcome).toMatchObject({ receipt_id: replay.receipt_id });
  });

  it.each(Object.entries(SAMPLE_RUNS))(
    '%s: tells what the run did as its own receipt does',
    async (_, run) => {
      const source = await run(stage.client);
      const replay = await replayOf(stage.client, source.id);
      const of = await receiptOf(stage.client, source);
      const receipt = await receiptOf(stage.client, replay);
      for (const same of [
        'approvals',
        'final_artifacts',
        'replay_input',
        'autonomy_budget',
        'trust',
      ] as const)
        expect(receipt[same]).toEqual(of[same]);
      expect(receipt.side_effects).toMatchObject({
        tool_calls: of.side_effects.tool_calls,
        a2a_handoffs: [],
        network_egress: [],
        fs_writes: [],
      });
      expect(receipt.lifecycle).toEqual({ ...of.lifecycle, final_state: 'SUCCEEDED', failure: null });
      expect(receipt.metadata).toMatchObject({
        ...of.metadata,
        replay: { run_final_state: of.lifecycle.final_state },
      });
      expect(await verify(replay.receipt_id)).toMatchObject({ valid: true });
    },
  );

  it('[C15] [REPLAY-06] lists the deltas, and where a substitute is kept', async () => {
    const source = await plain(stage.client);
    const { id: key = '', sha256 } =
      (await receiptOf(stage.client, source)).replay_input.materials.at(-1) ?? {};
    const override = { [key]: { kind: 'llm_provider_response', value: FAULT } };
    const body = { mode: 'with_overrides', override, reason: 'what if' };
    const replay = await replayOf(stage.client, source.id, body);
    const receipt = await receiptOf(stage.client, replay);
    expect(receipt.deltas).toEqual([
      expect.objectContaining({ override_key: key, before_sha256: sha256, reason: 'what if' }),
    ]);
    expect(receipt.replay_input.materials.find(({ id }) => id === key)).toMatchObject({
      sha256: receipt.deltas?.[0]?.after_sha256,
      uri: `harn://tasks/${replay.id}/frames/1`,
      metadata: { override_key: key },
    });
    expect(await verify(replay.receipt_id)).toMatchObject({ valid: true });
  });

  it('verifies on the gateway and by the standalone verifier, also of a replay of a replay, and by a younger key', async () => {
    const source = await plain(stage.client);
    const first = await replayOf(stage.client, source.id);
    await stage.client.post('/v1/admin/signing-keys');
    const second = await replayOf(stage.client, first.id);
    for (const { receipt_id } of [first, second])
      expect(await verify(receipt_id)).toMatchObject({ valid: true });
    const [one, two] = [await receiptOf(stage.client, first), await receiptOf(stage.client, second)];
    expect(two.chain.previous_receipt_hash).toBe(one.chain.receipt_hash);
    const chain = await stage.client.get<{ data: Receipt[] }>(`/v1/tasks/${source.id}/receipts`);
    const receipts = [...chain.data.reverse().map(({ wire }) => wire.payload), one, two];
    const jwks = await stage.client.get('/.well-known/jwks.json');
    expect(verifyReceipts(receipts, jwks)).toEqual({ ok: true });
    const changed = structuredClone(receipts);
    Object.assign(changed[2]?.metadata ?? {}, { route: 'a2a:other' });
    expect(verifyReceipts(changed, jwks)).toMatchObject({ ok: false, step: 'compare', index: 2 });
  });
});
