import type { TaskState } from '../projections/states.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Persona } from '../protocol/resources/persona.ts';
import type { RouteFacts } from './facts.ts';

/**
 * The route of a task: its own `metadata.route`, else the `entry_workflow` of its persona, else the session's, else the
 * configured default (contract section 7). An unknown route of the task is the caller's mistake; another unknown one
 * falls through.
 */
export function chooseRoute(
  routes: RouteFacts,
  task: JsonObject,
  persona: Persona | undefined,
  session: JsonObject,
): TaskState['internal']['route'] {
  refuseUnknownRoute(routes, task);
  const asked = [task['route'], persona?.entry_workflow, session['route']];
  const found = asked.find((route) => isRoute(routes, route));
  return typeof found === 'string' ? found : routes.default;
}

/** Metadata that a caller sends may name a route of this gateway, and no other. */
export function refuseUnknownRoute(routes: RouteFacts, metadata: JsonObject): void {
  const { route } = metadata;
  if (route === undefined || isRoute(routes, route)) return;
  const message = 'metadata.route names no route of this gateway. Leave it out for the default route.';
  throw new ProtocolError('invalid_request', message, { param: 'metadata.route' });
}

function isRoute(routes: RouteFacts, route: unknown): route is string {
  return typeof route === 'string' && routes.exists(route);
}
