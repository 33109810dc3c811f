import type { Listing } from '#resources/room.ts';
import type { Agent } from './schema.ts';

export const agentListing: Listing<Agent, '/v1/agents'> = {
  description: 'List the agents with their routes, in the order of the routes.',
  path: '/v1/agents',
  columns: {
    ROUTE: ({ route }) => route,
    NAME: ({ name }) => name ?? '-',
    VERSION: ({ version }) => version ?? '-',
    CARD: ({ card_state }) => `card ${card_state}`,
    STATE: ({ halt_id, circuit }) =>
      [
        ...(halt_id === null ? [] : [`halted by ${halt_id}`]),
        ...(circuit === null || circuit.state === 'closed' ? [] : [`circuit ${circuit.state}`]),
      ].join(', ') || '-',
    DESCRIPTION: ({ description }) => (description ?? '').replace(/\s+/g, ' '),
  },
};
