import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { materialsOf } from '../../src/dispatch/run-materials.ts';
import type { Transaction } from '../../src/eventlog/event-log.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Receipt } from '../../src/protocol/resources/receipt.ts';
import type { Task } from '../../src/protocol/resources/task.ts';
import { frameKey } from '../../src/store/keys.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { ToolUpstream } from '../harness/tool-upstream.ts';

const LISTED_AT_MOST = 500;

describe('receipts of long runs', () => {
  const agent = new ToolUpstream();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ extraUpstreams: [agent] });
  });
  afterAll(() => gateway.close());

  /** A run that ends with this frame. */
  async function receiptOf(frames: number, secretAt = -1, stepOf?: (n: number) => object) {
    const session = await gateway.client.session();
    const call = { toolCallId: 'call-1', name: 'look', step: 'progress' };
    const steps = Array.from({ length: frames - 1 }, (_, progress) => ({
      ...call,
      progress,
      ...(progress === secretAt ? { message: `ghp_${'g7H8'.repeat(9)}` } : {}),
      ...stepOf?.(progress),
    }));
    const submitted = await gateway.client.post<Task>(`/v1/sessions/${session.id}/tasks`, {
      input: { steps },
      metadata: { route: agent.route },
    });
    const task = await gateway.client.until(submitted.id, 'COMPLETED');
    const receipt = await gateway.client.get<Receipt>(`/v1/receipts/${task.receipt_id}`);
    return { task, payload: receipt.wire.payload };
  }

  const frameOf = (taskId: string, n: number): JsonObject =>
    JSON.parse(gateway.log.record(frameKey(taskId, n))?.toString('utf8') ?? '{}');

  it('[S3-04] lists every frame up to 500 of them', async () => {
    const { payload } = await receiptOf(LISTED_AT_MOST);
    expect(payload.replay_input.materials.length).toBe(LISTED_AT_MOST);
    expect(payload.metadata?.['frames']).toBe(LISTED_AT_MOST);
  });

  it('[S3-04] names more of them together, by a hash that each of them can be checked against', async () => {
    const frames = 2 * LISTED_AT_MOST + 7;
    const { task, payload } = await receiptOf(frames, 600);
    let sha256 = `sha256:${'0'.repeat(64)}`;
    for (let n = 1; n <= frames; n += 1) {
      const { key: id, frame, redaction_proof, ...record } = frameOf(task.id, n);
      const own = createHash('sha256')
        .update(canonicalize(frame) ?? '')
        .digest('hex');
      expect(record['sha256']).toBe(`sha256:${own}`);
      const proof = redaction_proof === undefined ? {} : { proof_hash: redaction_proof };
      const link = canonicalize({ before: sha256, id, ...proof, sha256: `sha256:${own}` }) ?? '';
      sha256 = `sha256:${createHash('sha256').update(link).digest('hex')}`;
    }
    expect(payload.replay_input.materials).toEqual([
      {
        content_type: 'application/json',
        kind: 'event_log',
        metadata: { frames },
        sha256,
        uri: `harn://tasks/${task.id}/frames`,
      },
    ]);
    expect(payload.redactions).toContainEqual({
      field: '/replay_input/materials/0',
      reason: 'Secrets were replaced in 1 frames before they were recorded.',
    });
    expect(JSON.stringify(payload).length).toBeLessThan(10_000);
    const { valid } = await gateway.client.post<{ valid: boolean }>(
      `/v1/receipts/${payload.receipt_id}/verify`,
    );
    expect(valid).toBe(true);
  });

  it('[S3-04] lists 500 tool calls at most, and tells how many there were', async () => {
    const calls = LISTED_AT_MOST + 20;
    const { payload } = await receiptOf(calls + 1, -1, (n) => ({
      toolCallId: `call-${n}`,
      name: 'look',
      step: 'requested',
      input: n,
    }));
    expect(payload.side_effects.tool_calls.length).toBe(LISTED_AT_MOST);
    expect(payload.metadata).toMatchObject({ totals: { tool_calls: calls } });
    expect(payload.autonomy_budget.consumed.tool_calls).toBe(calls);
  });

  it('[S3-04] makes the hash of many frames again where their records lack it', async () => {
    const { task, payload } = await receiptOf(LISTED_AT_MOST + 2);
    const early = (n: number): Buffer | undefined => {
      const { list: _, ...record } = frameOf(task.id, n);
      return record['key'] === undefined ? undefined : Buffer.from(JSON.stringify(record));
    };
    const recorded = (key: string) => early(Number(key.slice(-8)));
    const { materials } = materialsOf(
      { recorded } as Pick<Transaction, 'recorded'> as Transaction,
      task.id,
      agent.route,
    );
    expect(materials).toEqual(payload.replay_input.materials);
  });
});
