import type { Transaction } from '../eventlog/event-log.ts';
import { stateKey } from '../projections/state-keys.ts';
import type { SessionFold } from '../projections/states.ts';
import type { Session } from '../protocol/resources/session.ts';
import type { DecisionTools } from './facts.ts';
import { moveTask } from './move-task.ts';
import { newEvent } from './new-event.ts';

/** Cancels the open tasks of a Session and closes it; closing a closed one changes nothing (contract section 9). */
export function closeSessionNow(
  tx: Transaction,
  tools: DecisionTools,
  session: Session,
  reason: string,
): void {
  if (session.state === 'CLOSED') return;
  const open = tx.get<SessionFold>(stateKey.session(session.id))?.internal.open_tasks ?? [];
  for (const taskId of open) {
    moveTask(tx, tools, taskId, 'CANCELED', { reason: 'The session was closed.' });
    tx.afterCommit(() => tools.runs.forwardCancel(taskId));
  }
  const place = { workspace_id: session.workspace_id, session_id: session.id };
  tx.append(newEvent('session.closed', { object: 'session', id: session.id }, place, { reason }));
}
