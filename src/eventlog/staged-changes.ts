import type { Event, State } from './event-log.ts';
import type { ResourceHead } from './fold-event.ts';

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
  /** By the key of the resource's record. */
  readonly heads = new Map<string, ResourceHead>();
  /** Events that entered a stream, by its key prefix. */
  readonly streams = new Map<string, string[]>();
  /** Index keys and rewritten rows of streams; undefined deletes the key. */
  readonly markers = new Map<string, string | undefined>();
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

  enter(stream: string, eventId: string): void {
    const ids = this.streams.get(stream);
    if (ids === undefined) this.streams.set(stream, [eventId]);
    else ids.push(eventId);
  }

  get isEmpty(): boolean {
    return this.events.length === 0 && this.records.size === 0 && this.erased.size === 0;
  }

  /** Takes over the later changes of `other`. */
  merge(other: StagedChanges): void {
    for (const event of other.events) this.events.push(event);
    for (const [key, state] of other.states) this.states.set(key, state);
    for (const [key, head] of other.heads) this.heads.set(key, head);
    for (const [stream, ids] of other.streams) {
      const earlier = this.streams.get(stream);
      if (earlier === undefined) this.streams.set(stream, ids);
      else earlier.push(...ids);
    }
    for (const [key, marker] of other.markers) this.markers.set(key, marker);
    for (const [key, sealed] of other.records) this.record(key, sealed);
    for (const key of other.erased) this.erase(key);
  }
}
