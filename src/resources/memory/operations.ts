import { listOf } from '#protocol/envelope.ts';
import { filter, type OperationRow, page } from '#protocol/operation-row.ts';
import { createMemoryRequest, memory } from './schema.ts';

export const memoriesOperations = {
  listMemories: {
    kind: 'query',
    method: 'GET',
    path: '/v1/memories',
    tag: 'Memories',
    summary: 'List Memories, newest first; expired ones are absent.',
    scope: 'memories:read',
    level: 'extended',
    success: 200,
    query: page.extend({ workspace_id: filter, session_id: filter }),
    response: listOf(memory),
  },
  createMemory: {
    kind: 'command',
    method: 'POST',
    path: '/v1/memories',
    tag: 'Memories',
    summary: 'Remember something for a Persona, Session, Workspace or tenant; never part of a transcript.',
    scope: 'memories:write',
    level: 'extended',
    success: 201,
    body: createMemoryRequest,
    response: memory,
  },
  getMemory: {
    kind: 'query',
    method: 'GET',
    path: '/v1/memories/{memory_id}',
    tag: 'Memories',
    summary: 'Read a Memory.',
    scope: 'memories:read',
    level: 'extended',
    success: 200,
    response: memory,
  },
  deleteMemory: {
    kind: 'command',
    method: 'DELETE',
    path: '/v1/memories/{memory_id}',
    tag: 'Memories',
    summary: 'Forget a Memory; its content is erased, the Event that says so stays.',
    scope: 'memories:write',
    level: 'extended',
    success: 204,
    response: 'none',
  },
} as const satisfies Record<string, OperationRow>;
