import type { GettableListing } from '#resources/room.ts';
import type { Persona } from './schema.ts';

export const personaListing: GettableListing<Persona, '/v1/personas', '/v1/personas/{persona_id}'> = {
  command: { name: 'persona', description: 'Look at the personas of a running gateway.' },
  description: 'List every persona you may see.',
  path: '/v1/personas',
  one: '/v1/personas/{persona_id}',
  columns: {
    ID: ({ id }) => id,
    VERSION: ({ version }) => version,
    AUTONOMY: ({ autonomy_tier }) => autonomy_tier,
    ENTRY: ({ entry_workflow }) => entry_workflow,
    NAME: ({ name }) => name,
  },
};
