import { describe, expect, it } from 'vitest';
import { stageOf } from './stage.ts';

/** Lists of what belongs to workspaces, with the filters that each has. */
const LISTS = [
  ['/v1/sessions', ['workspace_id']],
  ['/v1/tasks', ['workspace_id', 'session_id']],
  ['/v1/artifacts', ['workspace_id', 'session_id', 'task_id']],
  ['/v1/permission-requests', ['session_id', 'task_id']],
  ['/v1/memories', ['workspace_id', 'session_id']],
  ['/v1/vaults', ['workspace_id']],
  ['/v1/dead-letters', ['workspace_id']],
] as const;
const both = (names: readonly string[]) => names.includes('workspace_id') && names.includes('session_id');

describe('the filters of a list', () => {
  const stage = stageOf();

  it.each(LISTS.flatMap(([path, names]) => names.map((name) => ({ path, name }))))(
    'name what the caller sees: $name of $path',
    async ({ path, name }) => {
      const { status, body } = await stage.client.call('GET', `${path}?${name}=nothing`);
      expect({ status, body }).toMatchObject({ status: 404, body: { error: { param: name } } });
    },
  );

  it.each(LISTS.filter(([, names]) => both(names)).map(([path]) => path))(
    'that contradict each other fit nothing: %s',
    async (path) => {
      const session = await stage.client.session();
      const workspace = await stage.client.post<{ id: string }>('/v1/workspaces', {
        name: 'Other',
        root: '/other',
      });
      await stage.client.post('/v1/tasks', {
        session_id: session.id,
        input: { role: 'user', parts: [{ type: 'text', text: 'hello', visibility: 'public' }] },
      });
      const list = (query: string) => stage.client.get<{ data: unknown[] }>(`${path}?${query}`);
      expect((await list(`session_id=${session.id}&workspace_id=${workspace.id}`)).data).toEqual([]);
      if (path === '/v1/tasks') {
        const { data } = await list(`session_id=${session.id}&workspace_id=workspace_default`);
        expect(data).toHaveLength(1);
      }
    },
  );
});
