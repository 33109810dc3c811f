import type { Event, StateWriter } from '#eventlog/event-log.ts';
import type { EmittedKind, PayloadOf } from './event-payloads.ts';

/** An event of this kind with its payload typed. The log only holds payloads this gateway built. */
export function payload<Kind extends EmittedKind>(event: Event, _kind: Kind): PayloadOf<Kind> {
  return event.payload as unknown as PayloadOf<Kind>;
}

/** Writes what an event of its kind means into the states; pure. */
export type Fold = (event: Event, states: StateWriter) => void;

/** The folds of a room by the kinds of events that drive them, each list in its order. */
export type Folds = Partial<Record<EmittedKind, readonly Fold[]>>;
