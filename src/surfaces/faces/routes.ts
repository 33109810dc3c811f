import type { Face } from '#face.ts';
import type { RefusePath } from '../http/edge.ts';
import { addRoute, type RouterGroups } from '../rest/routes.ts';
import { type FaceExchangeDeps, FaceHttpExchange } from './exchange.ts';

/** Puts the routes of all faces behind the edge, after those of the gateway itself. */
export function addFaceRoutes(routers: RouterGroups, faces: readonly Face[], deps: FaceExchangeDeps): void {
  for (const { method, path, handle } of faces.flatMap((face) => face.routes)) {
    addRoute(routers, [method], path, async (exchange, params) => {
      await handle(new FaceHttpExchange(exchange, deps), params);
    });
  }
}

/** Where the documents of any protocol are, which the gateway serves, and refuses, itself (RFC 8615). */
const WELL_KNOWN = '/.well-known/';

/** Asks the face whose path it is. */
export function refusePath(faces: readonly Face[], deps: FaceExchangeDeps): RefusePath {
  const known = faces.flatMap(({ unknownPaths }) => unknownPaths ?? []);
  return (exchange, path, error, headers) => {
    if (path.includes(WELL_KNOWN)) return false;
    const found = known.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
    const method = exchange.req.method ?? '';
    found?.refuse(new FaceHttpExchange(exchange, deps), { method, path, error, headers });
    return found !== undefined;
  };
}
