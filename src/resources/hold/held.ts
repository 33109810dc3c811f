import { isExpired } from '#core/load.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Hold } from './schema.ts';
import { type CleanHoldState, type HoldsOfSession, holdKeys } from './state.ts';

/** The oldest hold that keeps a session at `time` (RFC 3339); undefined where none does. */
export function holdOn(reader: StateReader, sessionId: string, time: string): Hold | undefined {
  for (const id of reader.get<HoldsOfSession>(holdKeys.holdsOf(sessionId))?.ids ?? []) {
    const resource = reader.get<CleanHoldState>(holdKeys.hold(id))?.resource;
    if (resource !== undefined && !isExpired(resource, time)) return resource;
  }
  return undefined;
}

/** Throws `conflict` with the name of the hold for a session that one keeps. Source: README.md. */
export function refuseHeld(reader: StateReader, sessionId: string, time: string): void {
  const hold = holdOn(reader, sessionId, time);
  if (hold === undefined) return;
  const message = `The hold "${hold.name}" keeps this session, and nothing of it may be removed. Release the hold first.`;
  throw new ProtocolError('conflict', message, {
    details: { hold_id: hold.id, hold: hold.name, session_id: sessionId, expires_at: hold.expires_at },
  });
}
