import type { ProtocolServer, ServerDeps, ServerRoute } from '#protocol-server.ts';
import { HARN_EXTENSION } from '../../../mappings/a2a/extension.ts';
import { EXTENSIONS_HEADER, VERSION_HEADER } from './asking.ts';
import { refusePath } from './faults.ts';
import { answerRpc } from './json-rpc.ts';
import { A2aHandler } from './requests.ts';
import { restRoutes } from './rest.ts';

/** Every agent and persona under its own path, and the default agent under the plain one. */
const PREFIXES = ['/a2a/{agent}', '/a2a'] as const;

/** Any agent behind the gateway as an A2A agent: JSON-RPC 1.0 and 0.3, HTTP+JSON 1.0. Cards are served with the other documents. */
export function createA2aServer(deps: ServerDeps): ProtocolServer {
  const handler = new A2aHandler(deps);
  const routes = PREFIXES.flatMap((prefix) => restRoutes(deps, handler, prefix));
  return {
    // Fixed words come before names of agents: `/a2a/tasks` lists tasks of the default agent.
    routes: [
      ...routes.filter(isPlain),
      ...routes.filter((route) => !isPlain(route)),
      ...rpcRoutes(deps, handler),
    ],
    unknownPaths: { prefix: '/a2a', refuse: refusePath },
    browserHeaders: { sent: [VERSION_HEADER, EXTENSIONS_HEADER], read: [EXTENSIONS_HEADER] },
    drain: () => handler.drain(),
  };
}

function isPlain({ path }: ServerRoute): boolean {
  return !path.includes('{agent}');
}

/** Peers append a slash to the URL of a card, or leave it away. */
function rpcRoutes(deps: ServerDeps, handler: A2aHandler): ServerRoute[] {
  return PREFIXES.flatMap((prefix) =>
    ['', '/'].map((slash) => ({
      method: 'POST' as const,
      path: `${prefix}${slash}`,
      handle: (exchange, { agent }) => answerRpc(deps, handler, exchange, agent),
    })),
  );
}

/**
 * How agents are offered to clients that speak A2A: what every card here says, in order of preference. HTTP+JSON of 0.3 is not
 * among it: its clients (@a2a-js/sdk 0.3.14 and 1.3.0) drop `append`, so that each chunk of an artifact would replace the last.
 */
export const A2A_OFFER = {
  bindings: [
    { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
  ],
  pushNotifications: true,
  extendedAgentCard: true,
  extensions: [
    {
      uri: HARN_EXTENSION,
      description: 'Ids, events and facts of the Harn Agents Protocol, in metadata under this URI.',
    },
  ],
} as const;
