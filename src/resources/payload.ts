import type { Event } from '#eventlog/event-log.ts';
import type { EmittedKind, PayloadOf } from './event-payloads.ts';

/** An event of this kind with its payload typed. The log only holds payloads this gateway built. */
export function payload<Kind extends EmittedKind>(event: Event, _kind: Kind): PayloadOf<Kind> {
  return event.payload as unknown as PayloadOf<Kind>;
}
