import { ProtocolError } from '#protocol/errors.ts';
import type { Session } from './schema.ts';

/** A closed Session, or one that is over at `time` and about to be closed, takes nothing more. */
export function refuseClosed(session: Session, time: string): void {
  const isOver = session.expires_at !== null && session.expires_at <= time;
  if (session.state !== 'CLOSED' && session.state !== 'FAILED' && !isOver) return;
  throw new ProtocolError('conflict', 'This session is closed. Create another one.', {
    details: { state: session.state },
  });
}
