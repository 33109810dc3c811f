import type { StateReader } from '#eventlog/event-log.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { waitsInTurn } from '#resources/permission/permission-request.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import type { Session } from './schema.ts';
import { type CleanSessionFold, sessionKeys } from './state.ts';

/**
 * Whether the lane of a Session is taken: by a task that works, or by one that waits for an answer inside its running turn.
 * An agent has one prompt at a time; one that asked and ended its turn leaves the lane to others.
 */
export function laneIsBusy(reader: StateReader, sessionId: string): boolean {
  const session = reader.get<CleanSessionFold>(sessionKeys.session(sessionId));
  return session !== undefined && isBusy(reader, session);
}

/** The same of a Session that is at hand. */
export function isBusy(reader: StateReader, { internal }: CleanSessionFold): boolean {
  const { working, blocked, open_tasks } = internal;
  const waits = (taskId: string) => waitsInTurn(reader, reader.get<CleanTaskState>(taskKeys.task(taskId)));
  return working > 0 || (blocked > 0 && open_tasks.some(waits));
}

/** A closed Session, or one that is over at `time` and about to be closed, takes nothing more. */
export function refuseClosed(session: Session, time: string): void {
  const isOver = session.expires_at !== null && session.expires_at <= time;
  if (session.state !== 'CLOSED' && session.state !== 'FAILED' && !isOver) return;
  throw new ProtocolError('conflict', 'This session is closed. Create another one.', {
    details: { state: session.state },
  });
}
