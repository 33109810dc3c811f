import type { Listing } from '#resources/room.ts';
import type { Persona } from './schema.ts';

export const personaListing: Listing<Persona> = {
  command: { name: 'persona', description: 'Look at the personas of a running gateway.' },
  description: 'List every persona you may see.',
  path: '/v1/personas',
  columns: ({ id, version, autonomy_tier, entry_workflow, name }) => [
    id,
    version,
    autonomy_tier,
    entry_workflow,
    name,
  ],
};
