import type { Command, Handlers } from '#core/command.ts';
import { runtimeQueries } from './queries.ts';

const reloadConfiguration: Command<'reloadConfiguration'> = {
  decide: (_input, _tx, { by }) => ({ effect: { kind: 'reload', actor: by.actor } }),

  conclude(_input, _tx, _facts, { reload }) {
    if (reload === undefined) throw new Error('the configuration is read before its changes are answered');
    return { body: reload };
  },

  // Each reads the file as it is when its turn comes.
  mutexKey: () => 'reload',
};

export const handlers = { ...runtimeQueries, reloadConfiguration } satisfies Partial<Handlers>;
