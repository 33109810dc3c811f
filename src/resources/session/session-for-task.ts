import { metadataOf } from '#core/decode-input.ts';
import type { Facts } from '#core/facts.ts';
import { loadWorkspace } from '#core/load.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { holdsScope } from '#policy/access.ts';
import { type Clean, type CleanText, sentence } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { newSession } from './new-session.ts';
import type { TaskSession } from './schema.ts';
import { laneIsBusy } from './session-lane.ts';
import { type CleanKeyedSessionState, type CleanSessionFold, sessionKeys } from './state.ts';

/** The Session that a Task brings along: the one this actor gave the key before, else a new one. Returns its id. */
export function sessionForTask(given: Clean<TaskSession>, tx: Transaction, facts: Facts): CleanText {
  const { caller } = facts;
  if (!holdsScope(caller, 'sessions:write'))
    throw new ProtocolError(
      'permission_denied',
      'A Task that brings its Session needs the scope sessions:write. Name one by session_id, or ask for a key that has it.',
      { details: { required_scope: 'sessions:write' } },
    );
  const workspace = loadWorkspace(tx, caller, given.workspace_id, 'session.workspace_id').resource;
  const { id: workspaceId } = workspace;
  const metadata = metadataOf(given);
  for (let number = 1; ; number += 1) {
    const key = given.key === undefined || number === 1 ? given.key : sentence`${given.key}#${number}`;
    const known =
      key === undefined
        ? undefined
        : tx.get<CleanKeyedSessionState>(sessionKeys.keyedSession(workspaceId, caller.actor, key));
    if (known === undefined) return newSession(tx, facts, { workspaceId, metadata, personaId: null, key }).id;
    if (given.parallel !== true || isFree(tx, known.session_id)) return known.session_id;
  }
}

/** Whether a Task would start at once: none runs there, or waits for its turn. */
function isFree(tx: Transaction, sessionId: string): boolean {
  const session = tx.get<CleanSessionFold>(sessionKeys.session(sessionId));
  if (session === undefined) return true;
  const { open_tasks, blocked } = session.internal;
  return open_tasks.length <= blocked && !laneIsBusy(tx, sessionId);
}
