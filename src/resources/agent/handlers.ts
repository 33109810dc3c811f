import type { Handlers } from '#core/handlers.ts';
import { getUpstreamCard, listAgents } from './queries.ts';

export const agentHandlers = {
  getUpstreamCard,
  listAgents,
} satisfies Partial<Handlers>;
