import type { Handlers } from '#core/command.ts';
import type { GuardSight, SelfFacts } from '#core/facts.ts';
import { listGiven, paging } from '#core/list-page.ts';
import { notFound } from '#core/load.ts';
import { ok, type Query } from '#core/query.ts';
import { haltOn } from '#policy/halts.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { timestamp } from '#protocol/ports.ts';
import type { AgentDescription } from '#protocol-client.ts';
import type { Agent, UpstreamCardResource } from './schema.ts';

const listAgents: Query<'listAgents'> = ({ query }, tools) =>
  listGiven(
    tools,
    tools.self.routes().map((route) => agentOf(route, tools.self)),
    paging(query),
  );

const getUpstreamCard: Query<'getUpstreamCard'> = ({ path }, { self, caller }) => {
  const route = self.routes().find((candidate) => idOf(candidate) === path.agent_id);
  if (route === undefined) throw notFound('agent');
  const { card, raw } = descriptionOf(route, self) ?? {};
  if (card === undefined) {
    const message = 'This agent has not shown a card. Look at GET /v1/agents, and retry when it has.';
    throw new ProtocolError('resource_not_found', message, { param: 'agent_id' });
  }
  const shown: UpstreamCardResource = {
    id: path.agent_id,
    object: 'upstream_card',
    created_at: card.fetchedAt,
    updated_at: card.fetchedAt,
    metadata: {},
    route,
    url: card.url,
    fetched_at: card.fetchedAt,
    state: card.isCurrent ? 'current' : 'kept',
    sha256: card.sha256,
    signature: card.signature,
    card: raw as JsonObject,
  };
  return ok(shown, caller);
};

function agentOf(route: string, self: SelfFacts): Agent {
  const description = descriptionOf(route, self);
  const guard = self.guards().find((sight) => sight.route === route);
  return {
    id: idOf(route),
    object: 'agent',
    created_at: self.startedAt,
    updated_at: self.startedAt,
    metadata: {},
    route,
    name: description?.name ?? null,
    description: description?.description ?? null,
    version: description?.version ?? null,
    streaming: description?.streaming ?? null,
    streaming_refused: description?.streamingRefused ?? null,
    card_state: stateOf(description),
    card_fetched_at: description?.card?.fetchedAt ?? null,
    card_signature: description?.card?.signature ?? null,
    halt_id: haltOn(self.halts, { route })?.id ?? null,
    circuit: circuitOf(guard),
    fallback: guard?.fallback ?? null,
  };
}

function circuitOf(guard: GuardSight | undefined): Agent['circuit'] {
  if (guard?.circuit === undefined) return null;
  const { circuit: state, failures, untilMs } = guard;
  return { state, failures, until: untilMs === undefined ? null : timestamp(untilMs) };
}

function stateOf(description: AgentDescription | undefined): Agent['card_state'] {
  if (description === undefined) return 'missing';
  if (description.card === undefined) return 'none';
  return description.card.isCurrent ? 'current' : 'kept';
}

function descriptionOf(route: string, self: SelfFacts): AgentDescription | undefined {
  return self.agents().find((agent) => agent.route === route)?.description;
}

/** Ids of agents are unique across protocols; the configuration is refused otherwise. */
function idOf(route: string): string {
  return route.slice(route.indexOf(':') + 1);
}

export const handlers = {
  getUpstreamCard,
  listAgents,
} satisfies Partial<Handlers>;
