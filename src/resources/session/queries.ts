import { getOf, listOf } from '#core/collection.ts';
import { listPlaces, paging } from '#core/list-page.ts';
import { load } from '#core/load.ts';
import { ok, type Query } from '#core/query.ts';
import { modeShown, shownSession } from './shown-session.ts';
import { type CleanSessionFold, type SessionFold, sessionKeys } from './state.ts';
import { messageAt } from './transcript/archive-turns.ts';

export const listSessions = listOf({
  keyOf: sessionKeys.session,
  ofWorkspace: sessionKeys.sessions,
  shape: (state, { reader, self, live }) => {
    const { resource } = state as SessionFold;
    const known = live.knows(resource.id)
      ? reader.get<CleanSessionFold>(sessionKeys.session(resource.id))
      : undefined;
    return known === undefined
      ? modeShown(reader, self, resource)
      : shownSession(reader, { self, live }, known);
  },
});

export const getSession: Query<'getSession'> = ({ path }, tools) => {
  const { reader, caller } = tools;
  return ok(shownSession(reader, tools, load(reader, caller, 'session', path.session_id)), caller);
};

/** The turns in order; the cursor is a position, which a truncation may hand out again. */
export const listSessionMessages: Query<'listSessionMessages'> = ({ path, query }, tools) => {
  const session = load(tools.reader, tools.caller, 'session', path.session_id);
  return listPlaces(tools, session.internal.messages, paging(query), (place) =>
    messageAt(tools.reader, session, place),
  );
};

export const getMessage = getOf('message', 'message_id');
