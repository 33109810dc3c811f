import { listPrefix, stateKey } from '../../projections/state-keys.ts';
import { ok } from '../answer.ts';
import { listPage, visibleWorkspaces } from '../list-page.ts';
import { load, loadWorkspace } from '../load.ts';
import type { Query } from '../query.ts';
import { paging } from './workspaces.ts';

export const listSessions: Query<'listSessions'> = async ({ query }, tools) => {
  const workspaces = query.workspace_id
    ? [loadWorkspace(tools.reader, tools.caller, query.workspace_id, 'workspace_id').resource.id]
    : await visibleWorkspaces(tools);
  const prefixes = workspaces.map(listPrefix.sessions);
  return listPage(tools, { prefixes, ...paging(query), keyOf: stateKey.session });
};

export const getSession: Query<'getSession'> = ({ path }, { reader, caller }) =>
  ok(load(reader, caller, 'session', path.session_id).resource, caller);

export const listSessionMessages: Query<'listSessionMessages'> = ({ path, query }, tools) => {
  const session = load(tools.reader, tools.caller, 'session', path.session_id).resource;
  const prefixes = [listPrefix.messagesOfSession(session.id)];
  return listPage(tools, { prefixes, ascending: true, ...paging(query), keyOf: stateKey.message });
};

export const getMessage: Query<'getMessage'> = ({ path }, { reader, caller }) =>
  ok(load(reader, caller, 'message', path.message_id).resource, caller);
