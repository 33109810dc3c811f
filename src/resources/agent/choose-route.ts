import type { Route, RouteFacts } from '#core/facts.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Persona } from '#resources/persona/schema.ts';

/**
 * The route of a task: its own `metadata.route`, else the `entry_workflow` of its persona, else the session's, else the
 * configured default. An unknown route of the task is the caller's mistake; another unknown one
 * falls through; without any the task is refused. `skill:<id>` is the route of the agent that has the Skill.
 */
export function chooseRoute(
  routes: RouteFacts,
  task: JsonObject,
  persona: Persona | undefined,
  session: JsonObject,
): Route {
  refuseUnknownRoute(routes, task);
  for (const asked of [task['route'], persona?.entry_workflow, session['route']]) {
    const found = typeof asked === 'string' ? routes.find(asked) : undefined;
    if (found) return found;
  }
  if (routes.default !== undefined) return { route: routes.default };
  const message =
    'No agent here runs a task that names no route. Name one in metadata.route; GET /v1/agents lists them.';
  throw new ProtocolError('invalid_request', message, { param: 'metadata.route' });
}

/** A server that starts with the gateway is usually known by then. */
const RETRY_SECONDS = 1;

/** Metadata that a caller sends may name a route of this gateway, and no other. */
export function refuseUnknownRoute(routes: RouteFacts, metadata: JsonObject): void {
  const { route } = metadata;
  if (route === undefined || (typeof route === 'string' && routes.find(route))) return;
  const awaited = typeof route === 'string' ? routes.awaited(route) : undefined;
  if (awaited !== undefined) {
    const message = `metadata.route names a Skill of ${awaited}, which has not been reached yet. Retry in a moment; /ready says when.`;
    throw new ProtocolError('service_unavailable', message, {
      param: 'metadata.route',
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
  const message = 'metadata.route names no route of this gateway. Leave it out for the default route.';
  throw new ProtocolError('invalid_request', message, { param: 'metadata.route' });
}
