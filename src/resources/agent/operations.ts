import { listOf } from '#protocol/envelope.ts';
import { type OperationRow, page } from '#protocol/operation-row.ts';
import { agent, upstreamCard } from './schema.ts';

export const agentsOperations = {
  listAgents: {
    kind: 'query',
    method: 'GET',
    path: '/v1/agents',
    tag: 'Agents',
    summary: 'List the agents behind the gateway, with the verdict about the signature of their cards.',
    scope: 'agents:read',
    level: 'vendor',
    success: 200,
    query: page,
    response: listOf(agent),
  },
  getUpstreamCard: {
    kind: 'query',
    method: 'GET',
    path: '/v1/agents/{agent_id}/upstream-card',
    tag: 'Agents',
    summary: 'Read the card that an agent gave, as it gave it; its signature, if any, is over this one.',
    scope: 'agents:read',
    level: 'vendor',
    success: 200,
    response: upstreamCard,
  },
} as const satisfies Record<string, OperationRow>;
