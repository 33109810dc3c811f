import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { foldReference, type StoredContent } from '#resources/artifact/stored-content.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { contentScope } from '#resources/states.ts';
import { type MemoryState, memoryKeys } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.memory_created': [foldMemoryCreated],
  'vendor.harn_gateway.memory_deleted': [foldMemoryDeleted],
};

function foldMemoryCreated(event: Event, states: StateWriter): void {
  const said = payload(event, 'vendor.harn_gateway.memory_created');
  const { memory, tenant, session_id, artifact_id, content } = said;
  const internal = { tenant, session_id, artifact_id, ...(content === undefined ? {} : { content }) };
  const state: MemoryState = { resource: memory, internal };
  states.set(memoryKeys.memory(memory.id), state);
  foldReference(states, undefined, contentOfMemory(state));
  for (const key of indexKeys(state)) states.index(key);
}

function foldMemoryDeleted(event: Event, states: StateWriter): void {
  const key = memoryKeys.memory(event.resource.id);
  const state = states.get<MemoryState>(key);
  if (!state) return;
  states.set(key, undefined);
  foldReference(states, contentOfMemory(state), undefined);
  for (const listed of indexKeys(state)) states.unindex(listed);
}

function indexKeys({ resource, internal }: MemoryState): string[] {
  const { id, workspace_id, expires_at } = resource;
  const owner = workspace_id
    ? memoryKeys.memoriesOfWorkspace(workspace_id)
    : memoryKeys.memoriesOfTenant(internal.tenant);
  return [
    owner + id,
    ...(internal.session_id ? [memoryKeys.memoriesOfSession(internal.session_id) + id] : []),
    ...(expires_at ? [`${memoryKeys.expiringMemories}${expires_at}/${id}`] : []),
  ];
}

/** The stored bytes that a Memory refers to: its content as JSON. */
export function contentOfMemory({ resource, internal }: MemoryState): StoredContent | undefined {
  const { content, tenant } = internal;
  return content && { scope: contentScope(resource.workspace_id, tenant), ...content };
}
