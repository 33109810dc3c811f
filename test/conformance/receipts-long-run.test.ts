import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { materialsOf } from '../../src/dispatch/run-materials.ts';
import type { Transaction } from '../../src/eventlog/event-log.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Receipt } from '../../src/protocol/resources/receipt.ts';
import type { Task } from '../../src/protocol/resources/task.ts';
import { frameKey } from '../../src/store/keys.ts';
import type { Frame, Move } from '../../src/upstream.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { ToolUpstream } from '../harness/tool-upstream.ts';

const LISTED_AT_MOST = 500;

/** Each message it sends is a file it wrote, and something that the policy kept back. */
class DeniedWriter extends ToolUpstream {
  override readonly route: string = 'fake:writer';

  override interpret(frame: Frame): Move[] {
    if (frame.kind !== 'message') return super.interpret(frame);
    const file = { path: `notes/${frame.label}`, bytes: 1, sha256: 'ab'.repeat(32) };
    return [
      { type: 'file_written', file },
      { type: 'policy', decided: DENIED },
    ];
  }
}
const DENIED = {
  effect: 'refuse',
  rule: 'persona_tools',
  because: 'The persona may not use this tool.',
  tier: 'act_auto',
  side_effect: 'destructive',
  route: 'fake:writer',
  skill_id: 'wipe',
  tool_call_id: null,
  input_sha256: null,
} as const;

describe('receipts of long runs', () => {
  const agent = new ToolUpstream();
  const writer = new DeniedWriter();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ extraUpstreams: [agent, writer] });
  });
  afterAll(() => gateway.close());

  /** A run that ends with this frame. */
  async function receiptOf(
    frames: number,
    secretAt = -1,
    stepOf?: (n: number) => object,
    route: string = agent.route,
  ) {
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
      metadata: { route },
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

  it('[S3-04] lists 500 file writes and refusals of the policy at most, and tells how many there were', async () => {
    const many = LISTED_AT_MOST + 1;
    const { payload } = await receiptOf(many + 1, -1, undefined, writer.route);
    expect(payload.side_effects.fs_writes.length).toBe(LISTED_AT_MOST);
    expect(payload.approvals?.length).toBe(LISTED_AT_MOST);
    const { policy, totals } = payload.metadata as { policy: object[]; totals: object };
    expect(policy.length).toBe(LISTED_AT_MOST);
    expect(totals).toEqual({ fs_writes: many, policy: many });
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
