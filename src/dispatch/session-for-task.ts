import type { Transaction } from '../eventlog/event-log.ts';
import { holdsScope } from '../policy/scope.ts';
import { stateKey } from '../projections/state-keys.ts';
import type { KeyedSessionState } from '../projections/states.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { TaskSession } from '../protocol/resources/session.ts';
import { metadataOf } from './command.ts';
import type { Facts } from './facts.ts';
import { loadWorkspace } from './load.ts';
import { newSession } from './new-session.ts';

/** The Session that a Task brings along: the one this actor gave the key before, else a new one. Returns its id. */
export function sessionForTask(given: TaskSession, tx: Transaction, facts: Facts): string {
  const { caller } = facts;
  if (!holdsScope(caller, 'sessions:write'))
    throw new ProtocolError(
      'permission_denied',
      'A Task that brings its Session needs the scope sessions:write. Name one by session_id, or ask for a key that has it.',
      { details: { required_scope: 'sessions:write' } },
    );
  const workspace = loadWorkspace(tx, caller, given.workspace_id, 'session.workspace_id').resource;
  const { key } = given;
  if (key !== undefined) {
    const known = tx.get<KeyedSessionState>(stateKey.keyedSession(workspace.id, caller.actor, key));
    if (known) return known.session_id;
  }
  return newSession(tx, facts, {
    workspaceId: workspace.id,
    metadata: metadataOf(given),
    personaId: null,
    key,
  }).id;
}
