import { resource, WORKSPACE } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Memory: resource('memory', 'memory_01KAHG6F78Z4C6V8F0H2K4N6Q8', {
    scope: 'workspace',
    owner_id: WORKSPACE,
    workspace_id: WORKSPACE,
    content: 'The customer prefers e-mail.',
    provenance: { actor: 'developer' },
    expires_at: null,
    visibility: 'public',
  }),
  CreateMemoryRequest: {
    scope: 'workspace',
    owner_id: 'workspace_default',
    content: 'The customer prefers e-mail.',
    provenance: { actor: 'developer' },
  },
} satisfies Examples;
