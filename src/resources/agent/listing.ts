import type { Listing } from '#resources/room.ts';
import type { Agent } from './schema.ts';

export const agentListing: Listing<Agent> = {
  description: 'List the agents with their routes, in the order of the routes.',
  path: '/v1/agents',
  columns: ({ route, name, version, card_state, halt_id, circuit, description }) => [
    route,
    name ?? '-',
    version ?? '-',
    `card ${card_state}`,
    ...(halt_id === null ? [] : [`halted by ${halt_id}`]),
    ...(circuit === null || circuit.state === 'closed' ? [] : [`circuit ${circuit.state}`]),
    (description ?? '').replace(/\s+/g, ' '),
  ],
};
