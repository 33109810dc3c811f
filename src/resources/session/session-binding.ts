import type { StateReader } from '#eventlog/event-log.ts';
import type { JsonObject } from '#protocol/json.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { SessionBindingState, SessionFold } from '#resources/states.ts';

/** What an upstream bound to a Session, unless the transcript was truncated since: then it knows another one. */
export function sessionBinding(
  reader: StateReader,
  sessionId: string,
  route: string,
): JsonObject | undefined {
  const bound = reader.get<SessionBindingState>(stateKey.sessionBinding(sessionId, route));
  const epoch = reader.get<SessionFold>(stateKey.session(sessionId))?.internal.epoch;
  return bound && bound.epoch === epoch ? bound.binding : undefined;
}
