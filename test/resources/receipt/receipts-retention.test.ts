import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Receipt, ReceiptVerification } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { RetentionStage } from '../event/retention-stage.ts';

const MARK = 'vendor.harn_gateway.history_removed';

describe('receipts outlive the events they were issued with', () => {
  let stage: RetentionStage;
  beforeEach(async () => {
    stage = await new RetentionStage().open();
  });
  afterEach(() => stage.end());

  const verify = (id: string) => stage.client.post<ReceiptVerification>(`/v1/receipts/${id}/verify`);
  /** Oldest first. */
  const receiptsOf = async ({ id }: Task) =>
    (await stage.client.get<{ data: Receipt[] }>(`/v1/tasks/${id}/receipts`)).data.reverse();

  it('[REC-VER-01] reading, listing, verifying and the check of the log go on without them, and after a restart', async () => {
    const first = await stage.run('hello');
    const second = await stage.run('again', first.session_id);
    const receipts = [...(await receiptsOf(first)), ...(await receiptsOf(second))];
    expect(receipts.length).toBe(2);
    await stage.close({ id: first.session_id });
    await stage.sweepAfter(31);
    expect(await stage.kinds(`/v1/tasks/${first.id}/events`)).toEqual([MARK]);
    expect(await stage.checked()).toEqual([]);
    for (const receipt of receipts) {
      expect(await stage.client.get(`/v1/receipts/${receipt.id}`)).toEqual(receipt);
      expect(await verify(receipt.id)).toMatchObject({ valid: true, details: { ok: true, skipped: [] } });
    }
    const named = await stage.client.get<Task>(`/v1/tasks/${second.id}`);
    expect(named.receipt_id).toBe(receipts.at(-1)?.id);
    expect(await stage.checked()).toEqual([]);
  });

  it('the chain of a session goes on from receipts whose events are gone', async () => {
    const first = await stage.run('hello');
    await stage.run('newest', first.session_id);
    await stage.sweepAfter(31);
    const [last] = (await receiptsOf(await stage.run('later', first.session_id))).slice(-1);
    expect(await verify(last?.id ?? '')).toMatchObject({ valid: true });
    expect(await stage.checked()).toEqual([]);
  });
});
