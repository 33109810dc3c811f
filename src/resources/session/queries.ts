import { listPage, listPlaces, paging, visibleWorkspaces } from '#core/list-page.ts';
import { load, loadWorkspace } from '#core/load.ts';
import { ok, type Query } from '#core/query.ts';
import { shownSession } from './shown-session.ts';
import { type SessionFold, sessionKeys } from './state.ts';
import { messageAt } from './transcript/archive-turns.ts';

export const listSessions: Query<'listSessions'> = async ({ query }, tools) => {
  const workspaces = query.workspace_id
    ? [loadWorkspace(tools.reader, tools.caller, query.workspace_id, 'workspace_id').resource.id]
    : await visibleWorkspaces(tools);
  const lists = workspaces.map(sessionKeys.sessions);
  return listPage(tools, {
    lists,
    ...paging(query),
    keyOf: sessionKeys.session,
    shape: (state) => shownSession(tools.reader, tools.self, (state as SessionFold).resource),
  });
};

export const getSession: Query<'getSession'> = ({ path }, { reader, caller, self }) =>
  ok(shownSession(reader, self, load(reader, caller, 'session', path.session_id).resource), caller);

/** The turns in order; the cursor is a position, which a truncation may hand out again. */
export const listSessionMessages: Query<'listSessionMessages'> = ({ path, query }, tools) => {
  const session = load(tools.reader, tools.caller, 'session', path.session_id);
  return listPlaces(tools, session.internal.messages, paging(query), (place) =>
    messageAt(tools.reader, session, place),
  );
};

export const getMessage: Query<'getMessage'> = ({ path }, { reader, caller }) =>
  ok(load(reader, caller, 'message', path.message_id).resource, caller);
