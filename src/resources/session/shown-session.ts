import type { SelfFacts } from '#core/facts.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import { MODE_OF_TIER } from '#protocol/autonomy.ts';
import type { Clean } from '#protocol/clean.ts';
import type { LiveMemory } from '#resources/live-client/live-memory.ts';
import type { Session } from './schema.ts';
import { tierOfSession } from './session-tier.ts';
import type { CleanSessionFold } from './state.ts';

/** A Session as it is shown now: with everybody who is in it, and the mode that holds for its next Task. */
export function shownSession(
  reader: StateReader,
  { self, live }: { self: Pick<SelfFacts, 'policy'>; live: LiveMemory },
  session: CleanSessionFold,
): Clean<Session> {
  return modeShown(reader, self, live.shown(session));
}

/**
 * A Session with the mode that holds for its next Task. It is read off persona, operator and Session, and is kept nowhere: the
 * event that made the Session says what held then.
 */
export function modeShown<Shown extends Session | Clean<Session>>(
  reader: StateReader,
  self: Pick<SelfFacts, 'policy'>,
  session: Shown,
): Shown {
  return { ...session, mode_id: MODE_OF_TIER[tierOfSession(reader, self, session)] };
}
