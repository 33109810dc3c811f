import type { Listing } from '#resources/room.ts';
import type { Erasure } from './schema.ts';

export const erasuresListing: Listing<Erasure> = {
  command: { name: 'erasure', description: 'What was erased, by whom and under which rule.' },
  description: 'List erasures, newest first.',
  path: '/v1/erasures',
  filters: [
    { flags: '--workspace <id>', description: 'only those of this workspace', param: 'workspace_id' },
  ],
  columns: ({ id, subject, state, created_at, requested_by, rule, removed }) => [
    id,
    subject.id,
    state.padEnd(9),
    created_at,
    `by ${requested_by}`,
    rule,
    `${removed.events} events, ${removed.tasks} tasks, ${removed.receipts} receipts`,
  ],
};
