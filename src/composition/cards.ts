import { A2A_OFFER } from '../../bridges/index.ts';
import { AgentCards } from '../cards/agent-cards.ts';
import { timestamp } from '../protocol/ports.ts';
import type { KeyRegistry } from '../receipts/key-registry.ts';
import type { Upstream } from '../upstream.ts';
import type { Parts } from './parts.ts';

/** The signed cards of the gateway and of every agent behind it. */
export function makeCards(
  { version, clock }: Parts,
  keys: Pick<KeyRegistry, 'current'>,
  upstreams: ReadonlyMap<string, Upstream>,
  defaultRoute: string,
): AgentCards {
  return new AgentCards({
    agents: () =>
      [...upstreams].map(([route, upstream]) => ({
        id: route.slice(route.indexOf(':') + 1),
        isDefault: route === defaultRoute,
        description: upstream.describe(),
      })),
    key: () => keys.current(),
    offer: A2A_OFFER,
    version,
    createdAt: timestamp(clock.now()),
  });
}
