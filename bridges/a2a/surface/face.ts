import type { Face, FaceDeps, FaceExchange, FaceRoute } from '../../../src/face.ts';
import { ProtocolError } from '../../../src/protocol/errors.ts';
import { addressed, noAgent, upstreamAgent } from './agents.ts';
import { cardOf, sendCard, servePublicCard } from './cards.ts';
import { A2aHandler } from './handler.ts';
import { answerRpc } from './json-rpc.ts';
import { EXTENSIONS_HEADER, VERSION_HEADER } from './negotiate.ts';
import { restRoutes } from './rest.ts';

/** Every agent and persona under its own path, and the default agent under the plain one. */
const PREFIXES = ['/a2a/{agent}', '/a2a'] as const;
const CARD_PATH = '/.well-known/agent-card.json';

/** Any agent behind the gateway as an A2A agent: JSON-RPC 1.0 and 0.3, HTTP+JSON 1.0, and its card. */
export function createA2aFace(deps: FaceDeps): Face {
  const handler = new A2aHandler(deps);
  const routes = PREFIXES.flatMap((prefix) => [
    ...cardRoutes(deps, prefix),
    ...restRoutes(deps, handler, prefix),
  ]);
  return {
    // Fixed words come before names of agents: `/a2a/tasks` lists tasks of the default agent.
    routes: [
      ...routes.filter(isPlain),
      ...routes.filter((route) => !isPlain(route)),
      ...rpcRoutes(deps, handler),
    ],
    browserHeaders: { sent: [VERSION_HEADER, EXTENSIONS_HEADER], read: [EXTENSIONS_HEADER] },
    drain: () => handler.drain(),
  };
}

function isPlain({ path }: FaceRoute): boolean {
  return !path.includes('{agent}');
}

/** Peers append a slash to the URL of a card, or leave it away. */
function rpcRoutes(deps: FaceDeps, handler: A2aHandler): FaceRoute[] {
  return PREFIXES.flatMap((prefix) =>
    ['', '/'].map((slash) => ({
      method: 'POST' as const,
      path: `${prefix}${slash}`,
      handle: (exchange, { agent }) => answerRpc(deps, handler, exchange, agent),
    })),
  );
}

function cardRoutes(deps: FaceDeps, prefix: string): FaceRoute[] {
  const own: FaceRoute = {
    method: 'GET',
    path: `${prefix}${CARD_PATH}`,
    handle: (exchange, { agent }) => serveCard(deps, exchange, agent),
  };
  const root: FaceRoute = { ...own, path: CARD_PATH };
  return prefix === '/a2a' ? [own, root] : [own];
}

/** The card of a configured agent is public, that of a persona is for those who may see the persona. */
async function serveCard(deps: FaceDeps, exchange: FaceExchange, segment: string | undefined): Promise<void> {
  if (upstreamAgent(deps, segment) !== undefined || exchange.headers.authorization === undefined) {
    servePublicCard(deps, exchange, segment);
    return;
  }
  try {
    sendCard(exchange, cardOf(deps, await addressed(deps, exchange, segment)));
  } catch (error) {
    throw ProtocolError.from(error).code === 'unauthenticated' ? noAgent() : error;
  }
}
