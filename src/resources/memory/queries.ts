import { listOf } from '#core/collection.ts';
import { isExpired } from '#core/load.ts';
import { ok, type Query, type QueryTools } from '#core/query.ts';
import { holdsScope } from '#policy/access.ts';
import { loadMemory, withContent } from './content.ts';
import type { Memory } from './schema.ts';
import { type MemoryState, memoryKeys } from './state.ts';

export const listMemories = listOf({
  keyOf: memoryKeys.memory,
  ofTenant: memoryKeys.memoriesOfTenant,
  ofWorkspace: memoryKeys.memoriesOfWorkspace,
  ofSession: memoryKeys.memoriesOfSession,
  shape: (state, tools) => shown(state as MemoryState, tools),
});

export const getMemory: Query<'getMemory'> = ({ path }, tools) => {
  const { reader, caller, time } = tools;
  const state = loadMemory(reader, caller, path.memory_id, time);
  return ok(shown(state, tools) ?? {}, caller);
};

function shown(state: MemoryState, { log, caller, time }: QueryTools): Memory | undefined {
  if (isExpired(state.resource, time)) return undefined;
  return withContent(state, (key) => log.record(key), holdsScope(caller, 'internal:read'));
}
