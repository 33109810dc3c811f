import { listPage, paging, visibleWorkspaces } from '#core/list-page.ts';
import { isExpired, load, loadMemory, loadWorkspace } from '#core/load.ts';
import { ok, type Query, type QueryTools } from '#core/query.ts';
import { holdsScope } from '#policy/access.ts';
import { withContent } from './content.ts';
import type { Memory } from './schema.ts';
import { type MemoryState, memoryKeys } from './state.ts';

export const listMemories: Query<'listMemories'> = async ({ query }, tools) => {
  const lists = await prefixesOf(query, tools);
  const shape = (state: object) => shown(state as MemoryState, tools);
  return listPage(tools, { lists, ...paging(query), keyOf: memoryKeys.memory, shape });
};

export const getMemory: Query<'getMemory'> = ({ path }, tools) => {
  const { reader, caller, time } = tools;
  const state = loadMemory(reader, caller, path.memory_id, time);
  return ok(shown(state, tools) ?? {}, caller);
};

function shown(state: MemoryState, { log, caller, time }: QueryTools): Memory | undefined {
  if (isExpired(state.resource, time)) return undefined;
  return withContent(state, (key) => log.record(key), holdsScope(caller, 'internal:read'));
}

async function prefixesOf(
  { workspace_id, session_id }: { workspace_id?: string | undefined; session_id?: string | undefined },
  tools: QueryTools,
): Promise<string[]> {
  const { reader, caller } = tools;
  if (workspace_id) loadWorkspace(reader, caller, workspace_id, 'workspace_id');
  if (session_id) {
    const session = load(reader, caller, 'session', session_id, 'session_id').resource;
    const fits = workspace_id === undefined || workspace_id === session.workspace_id;
    return fits ? [memoryKeys.memoriesOfSession(session.id)] : [];
  }
  if (workspace_id) return [memoryKeys.memoriesOfWorkspace(workspace_id)];
  const workspaces = (await visibleWorkspaces(tools)).map(memoryKeys.memoriesOfWorkspace);
  return [memoryKeys.memoriesOfTenant(caller.tenant), ...workspaces];
}
