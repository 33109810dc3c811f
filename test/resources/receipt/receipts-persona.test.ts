import { describe, expect, it } from 'vitest';
import type { Receipt } from '#resources/receipt/schema.ts';
import { stageOf } from '../../conformance/stage.ts';

describe('receipts of tasks that name a persona', () => {
  const stage = stageOf({});
  const ended = async (text: string, sessionId: string) => {
    const task = await stage.client.submit(text, sessionId);
    return stage.client.until(task.id, 'COMPLETED', 'FAILED', 'CANCELED');
  };
  /** Oldest first. */
  const receiptsOf = async (taskId: string) =>
    (await stage.client.get<{ data: Receipt[] }>(`/v1/tasks/${taskId}/receipts`)).data.reverse();
  const payloadsOf = async (taskId: string) => (await receiptsOf(taskId)).map(({ wire }) => wire.payload);

  it('[REC-PER-01] a persona that disables receipts has none, one that asks for them is named', async () => {
    const definition = {
      name: 'Clerk',
      version: '3',
      entry_workflow: 'a2a:sample',
      description: '',
      autonomy_tier: 'suggest',
    };
    const persona = (receipt_policy: string) =>
      stage.client.post<{ id: string }>('/v1/personas', { ...definition, receipt_policy });
    const run = async (persona_id: string) => {
      const session = await stage.client.post<{ id: string }>('/v1/sessions', {
        workspace_id: 'workspace_default',
        persona_id,
      });
      return ended('hello', session.id);
    };
    const without = await run((await persona('disabled')).id);
    expect(without.receipt_id).toBeNull();
    expect(await receiptsOf(without.id)).toEqual([]);
    const { id } = await persona('required');
    const [, done] = await payloadsOf((await run(id)).id);
    expect(done).toMatchObject({
      identifiers: { persona_ref: `${id}@3` },
      trust: { start_tier: 'suggest', end_tier: 'suggest', policy_ref: `persona:${id}` },
    });
  });
});
