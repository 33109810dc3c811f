import type { Listing } from '#resources/room.ts';
import type { Artifact } from './schema.ts';

export const artifactListing: Listing<Artifact> = {
  description: 'List artifacts, newest first.',
  path: '/v1/artifacts',
  filters: [
    { flags: '--session <id>', description: 'only those of this session', param: 'session_id' },
    { flags: '--task <id>', description: 'only those of this task', param: 'task_id' },
  ],
  columns: ({ id, kind, mime_type, created_at, task_id }) => [
    id,
    kind.padEnd(8),
    mime_type,
    created_at,
    task_id ?? '-',
  ],
};
