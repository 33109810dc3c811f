import type { TaskState } from '../projections/states.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { RouteFacts } from './facts.ts';

/**
 * The route of a task: its own `metadata.route`, else the session's, else the configured default (contract section 7).
 * An unknown route of the task is the caller's mistake; an unknown route of the session falls through.
 */
export function chooseRoute(
  routes: RouteFacts,
  task: JsonObject,
  session: JsonObject,
): TaskState['internal']['route'] {
  const asked = task['route'];
  if (asked !== undefined) {
    if (typeof asked === 'string' && routes.exists(asked)) return asked;
    throw new ProtocolError(
      'invalid_request',
      'metadata.route names no route of this gateway. Leave it out for the default route.',
      {
        param: 'metadata.route',
      },
    );
  }
  const ofSession = session['route'];
  if (typeof ofSession === 'string' && routes.exists(ofSession)) return ofSession;
  return routes.default;
}
