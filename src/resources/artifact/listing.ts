import type { Listing } from '#resources/room.ts';
import type { Artifact } from './schema.ts';

export const artifactListing: Listing<Artifact, '/v1/artifacts'> = {
  description: 'List artifacts, newest first.',
  path: '/v1/artifacts',
  filters: [
    { flags: '--session <id>', description: 'only those of this session', param: 'session_id' },
    { flags: '--task <id>', description: 'only those of this task', param: 'task_id' },
  ],
  columns: {
    ID: ({ id }) => id,
    KIND: ({ kind }) => kind,
    TYPE: ({ mime_type }) => mime_type,
    CREATED: ({ created_at }) => created_at,
    TASK: ({ task_id }) => task_id ?? '-',
  },
};
