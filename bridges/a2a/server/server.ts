import { ProtocolError } from '#protocol/errors.ts';
import type { ProtocolServer, ServerDeps, ServerRoute } from '#protocol-server.ts';
import { HARN_EXTENSION } from '../../../mappings/a2a/extension.ts';
import { HINT_PATH } from '../../../mappings/a2a/operations.ts';
import { EXTENSIONS_HEADER, VERSION_HEADER } from './asking.ts';
import { refusePath } from './faults.ts';
import { answerRpc } from './json-rpc.ts';
import { A2aHandler } from './requests.ts';
import { restRoutes } from './rest.ts';

/** Every agent and persona under its own path, and the default agent under the plain one. */
const PREFIXES = ['/a2a/{agent}', '/a2a'] as const;

/** Any agent behind the gateway as an A2A agent: JSON-RPC and HTTP+JSON, 1.0 and 0.3. Cards are served with the other documents. */
export function createA2aServer(deps: ServerDeps): ProtocolServer {
  const handler = new A2aHandler(deps);
  const routes = PREFIXES.flatMap((prefix) => restRoutes(deps, handler, prefix));
  return {
    // Fixed words come before names of agents: `/a2a/tasks` lists tasks of the default agent.
    routes: [
      ...routes.filter(isPlain),
      ...routes.filter((route) => !isPlain(route)),
      ...rpcRoutes(deps, handler),
      hintRoute(deps),
    ],
    unknownPaths: { prefix: '/a2a', refuse: refusePath },
    browserHeaders: { sent: [VERSION_HEADER, EXTENSIONS_HEADER], read: [EXTENSIONS_HEADER] },
    grpc: async () => (await import('./grpc.ts')).grpcServices(deps, handler),
    drain: () => handler.drain(),
  };
}

function isPlain({ path }: ServerRoute): boolean {
  return !path.includes('{agent}');
}

/** Who knows the secret is an agent that was given it. What it sends is not read: the task is asked for. */
function hintRoute(deps: ServerDeps): ServerRoute {
  return {
    method: 'POST',
    path: `${HINT_PATH}/{agent}/{secret}`,
    handle: (exchange, { agent, secret = '' }) => {
      if (deps.client(`a2a:${agent}`)?.hinted?.(secret) !== true)
        throw new ProtocolError('resource_not_found', 'No agent of this name was given an address here.');
      exchange.sendEmpty(204);
    },
  };
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
 * How agents can be offered to clients that speak A2A, in the order of preference that holds where the operator names none. What
 * gRPC needs is that it is served; see `offerOf`.
 */
export const A2A_BINDINGS = {
  'jsonrpc-1.0': { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  'http+json-1.0': { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
  'jsonrpc-0.3': { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
  'http+json-0.3': { protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
  'grpc-1.0': { protocolBinding: 'GRPC', protocolVersion: '1.0' },
  'grpc-0.3': { protocolBinding: 'GRPC', protocolVersion: '0.3' },
} as const;

/** What every card here says. `preferred`: names of bindings that come before the others, in this order. */
export function offerOf({ grpc, preferred }: { grpc: boolean; preferred: readonly string[] }) {
  const served = Object.entries(A2A_BINDINGS).filter(([name]) => grpc || !name.startsWith('grpc'));
  const rank = (name: string) => (preferred.includes(name) ? preferred.indexOf(name) : preferred.length);
  const ordered = served.sort(([one], [other]) => rank(one) - rank(other));
  return { ...A2A_OFFER, bindings: ordered.map(([, binding]) => binding) };
}

const A2A_OFFER = {
  pushNotifications: true,
  extendedAgentCard: true,
  extensions: [
    {
      uri: HARN_EXTENSION,
      description: 'Ids, events and facts of the Harn Agents Protocol, in metadata under this URI.',
    },
  ],
} as const;
