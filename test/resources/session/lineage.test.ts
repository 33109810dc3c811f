import { describe, expect, it } from 'vitest';
import type { Session } from '#resources/session/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { userText } from '../../harness/client.ts';

describe('lineage of sessions and tasks', () => {
  const stage = stageOf();
  const texts = async (session: string) => {
    const { data } = await stage.client.get<{ data: { parts: { text: string }[] }[] }>(
      `/v1/sessions/${session}/messages`,
    );
    return data.map(({ parts }) => parts[0]?.text);
  };
  const conversation = async () => {
    const initial_messages = ['one', 'two', 'three'].map(userText);
    return stage.client.post<Session>('/v1/sessions', {
      workspace_id: 'workspace_default',
      initial_messages,
    });
  };

  it('[CORE-RES-09] [EXT-BRN-01] a fork names its branch, its parent and its root; the main path names none', async () => {
    const main = await conversation();
    expect(main).toMatchObject({ branch_id: null, parent_session_id: null });
    const fork = await stage.client.post<Session>(`/v1/sessions/${main.id}/fork`);
    expect(fork).toMatchObject({ parent_session_id: main.id, root_session_id: main.id });
    const branch = await stage.client.get(`/v1/branches/${fork.branch_id}`);
    expect(branch).toMatchObject({
      id: fork.branch_id,
      base_ref: expect.any(String),
      kind: 'session',
      session_id: main.id,
      workspace_id: 'workspace_default',
    });
    const task = await stage.client.submit('file', fork.id);
    await stage.client.until(task.id, 'COMPLETED');
    expect(task.branch_id).toBe(fork.branch_id);
  });

  it('[CORE-RES-14] truncate keeps the first turns of the session itself and drops the later ones', async () => {
    const { id } = await conversation();
    const result = await stage.client.post(`/v1/sessions/${id}/truncate`, { keep_first: 1 });
    expect(result).toMatchObject({ session_id: id, kept_turn_count: 1, removed_turn_count: 2 });
    expect(await texts(id)).toEqual(['one']);
  });

  it('[CORE-RES-14] a fork made before is the recoverable side', async () => {
    const { id } = await conversation();
    const fork = await stage.client.post<Session>(`/v1/sessions/${id}/fork`);
    await stage.client.post(`/v1/sessions/${id}/truncate`, { keep_first: 0 });
    expect(await texts(id)).toEqual([]);
    expect(await texts(fork.id)).toEqual(['one', 'two', 'three']);
  });

  it('[CORE-RES-09] a task names the task it came from', async () => {
    const parent = await stage.client.submit('hello');
    const child = await stage.client.post(`/v1/sessions/${parent.session_id}/tasks`, {
      input: userText('hello'),
      parent_task_id: parent.id,
    });
    expect(child).toMatchObject({ parent_task_id: parent.id, branch_id: null });
  });
});
