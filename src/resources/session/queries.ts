import { getOf, listOf } from '#core/collection.ts';
import { listPlaces, paging } from '#core/list-page.ts';
import { load } from '#core/load.ts';
import { ok, type Query } from '#core/query.ts';
import { shownSession } from './shown-session.ts';
import { type SessionFold, sessionKeys } from './state.ts';
import { messageAt } from './transcript/archive-turns.ts';

export const listSessions = listOf({
  keyOf: sessionKeys.session,
  ofWorkspace: sessionKeys.sessions,
  shape: (state, { reader, self }) => shownSession(reader, self, (state as SessionFold).resource),
});

export const getSession: Query<'getSession'> = ({ path }, { reader, caller, self }) =>
  ok(shownSession(reader, self, load(reader, caller, 'session', path.session_id).resource), caller);

/** The turns in order; the cursor is a position, which a truncation may hand out again. */
export const listSessionMessages: Query<'listSessionMessages'> = ({ path, query }, tools) => {
  const session = load(tools.reader, tools.caller, 'session', path.session_id);
  return listPlaces(tools, session.internal.messages, paging(query), (place) =>
    messageAt(tools.reader, session, place),
  );
};

export const getMessage = getOf('message', 'message_id');
