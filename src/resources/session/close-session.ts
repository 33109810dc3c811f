import type { Command } from '#core/command.ts';
import type { DecisionTools } from '#core/facts.ts';
import { load } from '#core/load.ts';
import { newEvent, placeOfSession } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { type Clean, type CleanText, word } from '#protocol/clean.ts';
import { moveTask } from '#resources/task/move-task.ts';
import type { Session } from './schema.ts';
import { shownSession } from './shown-session.ts';
import { type CleanSessionFold, sessionKeys } from './state.ts';

export const closeSession: Command<'closeSession'> = {
  decide({ path }, tx, facts) {
    const session = load(tx, facts.caller, 'session', path.session_id).resource;
    closeSessionNow(tx, facts, session, word('closed_by_caller'));
    return {
      body: shownSession(tx, facts, load(tx, facts.caller, 'session', path.session_id)),
    };
  },
};

/** Cancels the open tasks of a Session and closes it; closing a closed one changes nothing. */
export function closeSessionNow(
  tx: Transaction,
  tools: DecisionTools,
  session: Clean<Session>,
  reason: CleanText,
): void {
  if (session.state === 'CLOSED') return;
  cancelOpenTasks(tx, tools, session.id, word('The session was closed.'));
  const place = placeOfSession(session);
  tx.append(newEvent('session.closed', { object: 'session', id: session.id }, place, { reason }));
}

/** Cancels what a Session still has open, or those Tasks that `isMeant`, and notifies the upstreams after the commit. */
export function cancelOpenTasks(
  tx: Transaction,
  tools: DecisionTools,
  sessionId: string,
  reason: CleanText,
  isMeant: (taskId: string) => boolean = () => true,
): void {
  const open = tx.get<CleanSessionFold>(sessionKeys.session(sessionId))?.internal.open_tasks ?? [];
  for (const taskId of open.filter(isMeant)) {
    moveTask(tx, tools, taskId, 'CANCELED', { reason });
    tx.afterCommit(() => tools.runs.forwardCancel(taskId));
  }
}
