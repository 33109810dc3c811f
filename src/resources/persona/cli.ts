import type { Command } from 'commander';
import { collectionCommand } from '#cli/collection.ts';
import type { Persona } from './schema.ts';

export function personaCommand(): Command {
  return collectionCommand<Persona>({
    name: 'persona',
    description: 'Look at the personas of a running gateway.',
    path: '/v1/personas',
    line: ({ id, version, autonomy_tier, entry_workflow, name }) => [
      id,
      version,
      autonomy_tier,
      entry_workflow,
      name,
    ],
  });
}
