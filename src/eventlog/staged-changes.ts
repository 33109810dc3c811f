import type { Event, State } from './event-log.ts';

/** A primary record as it will be stored: 32-byte hash, then the content. */
export type SealedRecord = Buffer;

/** An event staged for a commit. `sealed` holds the bytes that are hashed, stored and sent. */
export interface StagedEvent {
  event: Event;
  key: string;
  sealed: SealedRecord;
}

/**
 * Changes not durable yet: of one transaction, or merged of a group. States stay objects and are serialised once, when the
 * group is sealed, so that ten transactions on one task cost one serialisation.
 */
export class StagedChanges {
  readonly events: StagedEvent[] = [];
  readonly states = new Map<string, State | undefined>();
  /** true puts the marker key, false deletes it. */
  readonly markers = new Map<string, boolean>();
  readonly records = new Map<string, SealedRecord>();
  readonly erased = new Set<string>();

  record(key: string, sealed: SealedRecord): void {
    this.erased.delete(key);
    this.records.set(key, sealed);
  }

  erase(key: string): void {
    this.records.delete(key);
    this.erased.add(key);
  }

  get isEmpty(): boolean {
    return this.events.length === 0 && this.records.size === 0 && this.erased.size === 0;
  }

  /** Takes over the later changes of `other`. */
  merge(other: StagedChanges): void {
    for (const event of other.events) this.events.push(event);
    for (const [key, state] of other.states) this.states.set(key, state);
    for (const [key, present] of other.markers) this.markers.set(key, present);
    for (const [key, sealed] of other.records) this.record(key, sealed);
    for (const key of other.erased) this.erase(key);
  }
}
