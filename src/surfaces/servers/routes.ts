import type { ProtocolServer } from '#protocol-server.ts';
import type { RefusePath } from '../http/exchange.ts';
import { addRoute, type RouterGroups } from '../rest/routes.ts';
import { type ServerExchangeDeps, ServerHttpExchange } from './exchange.ts';

/** Puts the routes of all protocol servers behind the edge, after those of the gateway itself. */
export function addServerRoutes(
  routers: RouterGroups,
  protocolServers: readonly ProtocolServer[],
  deps: ServerExchangeDeps,
): void {
  for (const { method, path, handle } of protocolServers.flatMap((each) => each.routes)) {
    addRoute(routers, [method], path, async (exchange, params) => {
      await handle(new ServerHttpExchange(exchange, deps), params);
    });
  }
}

/** Where the documents of any protocol are, which the gateway serves, and refuses, itself (RFC 8615). */
const WELL_KNOWN = '/.well-known/';

/** Asks the protocol server whose path it is. */
export function refusePath(protocolServers: readonly ProtocolServer[], deps: ServerExchangeDeps): RefusePath {
  const known = protocolServers.flatMap(({ unknownPaths }) => unknownPaths ?? []);
  return (exchange, path, error, headers) => {
    if (path.includes(WELL_KNOWN)) return false;
    const found = known.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
    const method = exchange.req.method ?? '';
    found?.refuse(new ServerHttpExchange(exchange, deps), { method, path, error, headers });
    return found !== undefined;
  };
}
