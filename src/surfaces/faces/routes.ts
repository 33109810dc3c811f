import type { Face } from '../../face.ts';
import type { RouterGroups } from '../rest/router-groups.ts';
import { addRoute } from '../rest/routes.ts';
import { type FaceExchangeDeps, FaceHttpExchange } from './exchange.ts';

/** Puts the routes of all faces behind the edge, after those of the gateway itself. */
export function addFaceRoutes(routers: RouterGroups, faces: readonly Face[], deps: FaceExchangeDeps): void {
  for (const { method, path, handle } of faces.flatMap((face) => face.routes)) {
    addRoute(routers, method, path, async (exchange, params) => {
      await handle(new FaceHttpExchange(exchange, deps), params);
    });
  }
}
