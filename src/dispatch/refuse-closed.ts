import { ProtocolError } from '../protocol/errors.ts';
import type { Session } from '../protocol/resources/session.ts';

/** A closed Session takes nothing more (contract section 9). */
export function refuseClosed(session: Session): void {
  if (session.state !== 'CLOSED' && session.state !== 'FAILED') return;
  throw new ProtocolError('conflict', 'This session is closed. Create another one.', {
    details: { state: session.state },
  });
}
