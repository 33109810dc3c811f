import { describe, expect, it } from 'vitest';
import type { Receipt } from '#resources/receipt/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { type Stage, stageOf } from '../../conformance/stage.ts';

/** The receipts of a task that runs to its end, oldest first, with its events. */
async function proofsOf({ client }: Stage, policy?: string) {
  const persona =
    policy === undefined
      ? undefined
      : await client.post<{ id: string }>('/v1/personas', {
          name: policy,
          version: '1',
          entry_workflow: 'a2a:sample',
          description: '',
          autonomy_tier: 'act_auto',
          receipt_policy: policy,
        });
  const session = await client.post<{ id: string }>('/v1/sessions', {
    workspace_id: 'workspace_default',
    ...(persona === undefined ? {} : { persona_id: persona.id }),
  });
  const submitted = await client.submit('hello', session.id);
  const task = await client.until(submitted.id, 'COMPLETED');
  const { data } = await client.get<{ data: Receipt[] }>(`/v1/tasks/${task.id}/receipts`);
  return { task, receipts: data.reverse() };
}

const subjects = ({ receipts }: { receipts: Receipt[] }) => receipts.map(({ subject }) => subject.object);

describe.each([
  { acceptance: false, plain: ['task'] },
  { acceptance: true, plain: ['event', 'task'] },
])('receipts.acceptance: $acceptance', ({ acceptance, plain }) => {
  const stage = stageOf({ config: { receipts: { acceptance } } });

  it(`[C12] a task without a persona has receipts of: ${plain}`, async () => {
    expect(subjects(await proofsOf(stage))).toEqual(plain);
  });

  it.each([
    ['required', ['event', 'task']],
    ['optional', ['task']],
    ['disabled', []],
  ])('[C12] a persona with receipt_policy %s decides for its tasks: %s', async (policy, expected) => {
    expect(subjects(await proofsOf(stage, policy))).toEqual(expected);
  });

  it('[C12] a receipt of acceptance is of the task.submitted event, which names it, in the same commit', async () => {
    const { task, receipts } = await proofsOf(stage, 'required');
    const [accepted, done] = receipts;
    const [submitted] = await stage.client.events(`/v1/tasks/${task.id}/events`);
    expect(submitted).toMatchObject({ event: 'task.submitted', receipt_id: accepted?.id });
    expect(accepted?.wire.payload).toMatchObject({
      subject: { object: 'event', id: submitted?.id },
      lifecycle: { started_at: task.created_at, completed_at: task.created_at, final_state: 'SUCCEEDED' },
    });
    expect(done?.wire.payload.chain.previous_receipt_hash).toBe(accepted?.wire.payload.chain.receipt_hash);
    const verified = await stage.client.post(`/v1/receipts/${accepted?.id}/verify`);
    expect(verified).toMatchObject({ valid: true });
  });

  it('a run is replayed with as many receipts as its persona asks for, byte_equal', async () => {
    const { task } = await proofsOf(stage, 'required');
    const replay = await stage.client.post<Task>(`/v1/tasks/${task.id}/replay`, { mode: 'exact' });
    const { receipt_id } = await stage.client.until(replay.id, 'COMPLETED');
    const { wire } = await stage.client.get<Receipt>(`/v1/receipts/${receipt_id}`);
    expect(wire.payload.metadata).toMatchObject({ replay: { verdict: { status: 'byte_equal' } } });
  });
});
