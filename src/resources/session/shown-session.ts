import type { SelfFacts } from '#core/facts.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import { MODE_OF_TIER } from '#protocol/autonomy.ts';
import type { Clean } from '#protocol/clean.ts';
import type { Session } from './schema.ts';
import { tierOfSession } from './session-tier.ts';

/**
 * A Session as it is shown: with the mode that holds for its next Task. It is read off persona, operator and Session, and is kept
 * nowhere: the event that made the Session says what held then.
 */
export function shownSession<Shown extends Session | Clean<Session>>(
  reader: StateReader,
  self: Pick<SelfFacts, 'policy'>,
  session: Shown,
): Shown {
  return { ...session, mode_id: MODE_OF_TIER[tierOfSession(reader, self, session)] };
}
