import { AgentCards } from '#cards/agent-cards.ts';
import type { RouteFacts } from '#core/facts.ts';
import { timestamp } from '#protocol/ports.ts';
import type { ProtocolClient } from '#protocol-client.ts';
import type { KeyRegistry } from '#receipts/key-registry.ts';
import { A2A_OFFER } from '../../bridges/index.ts';
import type { Parts } from './parts.ts';

/** The signed cards of the gateway and of every agent behind it. */
export function makeCards(
  { version, clock }: Parts,
  keys: Pick<KeyRegistry, 'current'>,
  upstreams: ReadonlyMap<string, ProtocolClient>,
  routes: RouteFacts,
): AgentCards {
  const agent = (route: string, upstream: ProtocolClient) => ({
    id: route.slice(route.indexOf(':') + 1),
    isDefault: route === routes.default,
    description: upstream.describe(),
  });
  return new AgentCards({
    agents: () => [...upstreams].map(([route, upstream]) => agent(route, upstream)),
    agentOf: (name) => {
      const route = routes.find(name)?.route ?? routes.default;
      const upstream = route === undefined ? undefined : upstreams.get(route);
      return upstream && agent(upstream.route, upstream);
    },
    key: () => keys.current(),
    offer: A2A_OFFER,
    version,
    createdAt: timestamp(clock.now()),
    now: () => clock.now(),
  });
}
