import type { GettableListing } from '#resources/room.ts';
import type { Erasure } from './schema.ts';

export const erasuresListing: GettableListing<Erasure, '/v1/erasures', '/v1/erasures/{erasure_id}'> = {
  description: 'List erasures, newest first.',
  path: '/v1/erasures',
  one: '/v1/erasures/{erasure_id}',
  filters: [
    { flags: '--workspace <id>', description: 'only those of this workspace', param: 'workspace_id' },
  ],
  columns: {
    ID: ({ id }) => id,
    ERASED: ({ subject }) => subject.id,
    STATE: ({ state }) => state,
    CREATED: ({ created_at }) => created_at,
    BY: ({ requested_by }) => requested_by,
    RULE: ({ rule }) => rule,
    REMOVED: ({ removed }) =>
      `${removed.events} events, ${removed.tasks} tasks, ${removed.receipts} receipts`,
  },
};
