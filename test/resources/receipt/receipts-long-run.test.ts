import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transaction } from '#eventlog/event-log.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Frame, Move } from '#protocol-client.ts';
import { materialsOf } from '#resources/receipt/run-materials.ts';
import type { Receipt } from '#resources/receipt/schema.ts';
import type { Task, TaskMaterial } from '#resources/task/schema.ts';
import type { CleanTaskState } from '#resources/task/state.ts';
import { frameKey } from '#store/keys.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { merkleRoot } from '../../harness/receipt-hash.ts';
import { ToolClient } from '../../harness/tool-client.ts';

const LISTED_AT_MOST = 500;
const LISTED_FRAMES = 32;

/** Its frames have keys that an override may name. */
class NamedAgent extends ToolClient {
  override readonly route: string = 'fake:named';
  override readonly materialPrefix: string = 'a2a:named';
}

/** Each message it sends is a file it wrote, and something that the policy kept back. */
class DeniedWriter extends ToolClient {
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
  const agent = new ToolClient();
  const writer = new DeniedWriter();
  const named = new NamedAgent();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ extraClients: [agent, writer, named] });
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

  it('[S3-04] lists every frame up to 32 of them', async () => {
    const { payload } = await receiptOf(LISTED_FRAMES);
    expect(payload.replay_input.materials.length).toBe(LISTED_FRAMES);
    expect(payload.metadata?.['frames']).toBe(LISTED_FRAMES);
  });

  it.each([LISTED_FRAMES + 1, 256, 2 * 256 + 7])(
    '[S3-04] names %i of them together, by the RFC 6962 root over all of them',
    async (frames) => {
      const { task, payload } = await receiptOf(frames, 20);
      const leaves: string[] = [];
      for (let n = 1; n <= frames; n += 1) {
        const { key: id, frame, redaction_proof, ...record } = frameOf(task.id, n);
        const own = sha256Of(frame);
        expect(record['sha256']).toBe(own);
        const proof = redaction_proof === undefined ? {} : { proof_hash: redaction_proof };
        leaves.push(sha256Of({ id, ...proof, sha256: own }));
      }
      const sha256 = `sha256:${merkleRoot(leaves).toString('hex')}`;
      expect(payload.replay_input.materials).toEqual([
        {
          content_type: 'application/json',
          kind: 'event_log',
          metadata: { frames, hash: 'rfc6962-sha256' },
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
    },
  );

  it('GET /v1/tasks/{id}/materials lists all of them in their order, by pages', async () => {
    const frames = 70;
    const { task } = await receiptOf(frames, 20);
    const listed: TaskMaterial[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const path = `/v1/tasks/${task.id}/materials?limit=32${cursor && `&cursor=${cursor}`}`;
      const page: { data: TaskMaterial[]; next_cursor: string | null } = await gateway.client.get(path);
      listed.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(listed).toEqual(
      Array.from({ length: frames }, (_, at) => {
        const { key, sha256, redaction_proof } = frameOf(task.id, at + 1);
        const proof = redaction_proof === undefined ? {} : { proof_hash: redaction_proof };
        const kind = 'llm_provider_response';
        return { object: 'task_material', id: key, n: at + 1, kind, sha256, ...proof };
      }),
    );
    expect(listed.filter(({ proof_hash }) => proof_hash !== undefined).length).toBe(1);
    const refused = await gateway.client.call('GET', `/v1/tasks/${task.id}/materials?cursor=abc`);
    expect(refused).toMatchObject({ status: 400, body: { error: { param: 'cursor' } } });
  });

  it('a replay of it has the same form, and names what was substituted one by one', async () => {
    const { task, payload } = await receiptOf(40, -1, undefined, named.route);
    const { key } = frameOf(task.id, 20) as { key: string };
    const value = frameOf(task.id, 19)['frame'];
    const replay = await gateway.client.post<Task>(`/v1/tasks/${task.id}/replay`, {
      mode: 'with_overrides',
      override: { [key]: { kind: 'llm_provider_response', value } },
    });
    const { receipt_id } = await gateway.client.until(replay.id, 'COMPLETED');
    const { wire } = await gateway.client.get<Receipt>(`/v1/receipts/${receipt_id}`);
    const [together, substituted, ...more] = wire.payload.replay_input.materials;
    expect(more).toEqual([]);
    expect(together).toMatchObject({ kind: 'event_log', metadata: { frames: 40 } });
    expect(together?.sha256).not.toBe(payload.replay_input.materials[0]?.sha256);
    const [delta] = wire.payload.deltas ?? [];
    expect(substituted).toMatchObject({
      id: key,
      sha256: delta?.after_sha256,
      metadata: { override_key: key },
    });
    expect(delta?.path).toBe(`/replay_input/materials/${substituted?.id}`);
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

  it('under rules 1 names more than 500 by the hash of their chain, also where the records lack it', async () => {
    const frames = LISTED_AT_MOST + 2;
    const { task } = await receiptOf(frames);
    let sha256 = `sha256:${'0'.repeat(64)}`;
    for (let n = 1; n <= frames; n += 1) {
      const { key: id, sha256: own } = frameOf(task.id, n);
      sha256 = sha256Of({ before: sha256, id, sha256: own });
    }
    const recorded = (key: string) => gateway.log.record(key);
    const early = { resource: task, internal: { route: agent.route } } as CleanTaskState;
    const { materials } = materialsOf({ recorded } as Pick<Transaction, 'recorded'> as Transaction, early);
    expect(materials).toMatchObject([{ kind: 'event_log', metadata: { frames }, sha256 }]);
  });
});

function sha256Of(value: unknown): string {
  return `sha256:${createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('hex')}`;
}
