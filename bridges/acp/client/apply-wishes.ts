import type { Turn } from '#upstream.ts';
import { OPTIONS_REFUSED, wishOf } from '../../../mappings/acp/config-options.ts';
import { objectOf } from '../../../mappings/acp/json-shape.ts';
import type { SessionOpener } from './open-session.ts';
import type { AcpRecord } from './record.ts';
import type { AgentSession } from './session.ts';

/** Characters that are kept of an agent's reason. */
const MAX_REASON = 2_000;

/**
 * Tells the agent the mode and the options that a client chose for the Session, once. What it refuses stays as it was there:
 * the record says so when the Session does not know it yet. Throws Fault.
 */
export async function applyWishes(
  { connection, limits }: SessionOpener,
  session: AgentSession,
  turn: Turn,
): Promise<AcpRecord[]> {
  const wishes = objectOf(objectOf(turn.sessionMetadata['acp_client'])['wanted']);
  for (const [name, value] of Object.entries(wishes)) {
    if (session.told.get(name) === value) continue;
    const { method, params } = wishOf(name, value, session.offers);
    const named = { sessionId: session.id, ...params };
    const answer = await connection.ask(method, named, 'session', limits.session_timeout_ms);
    session.told.set(name, value);
    if (!('error' in answer)) session.refused.delete(name);
    else {
      const { code, message } = answer.error;
      session.refused.set(name, { name, value, code, message: message.slice(0, MAX_REASON) });
    }
  }
  return changesOf(session, turn);
}

function changesOf({ refused }: AgentSession, { sessionMetadata }: Turn): AcpRecord[] {
  const told = objectOf(objectOf(objectOf(sessionMetadata['acp'])[OPTIONS_REFUSED])['refused']);
  const options = [...refused.values()];
  const news = options.filter(({ name, value }) => objectOf(told[name])['value'] !== value);
  if (news.length === 0 && options.length === Object.keys(told).length) return [];
  return [{ op: 'options_refused', options, news: news.map(({ name }) => name) }];
}
