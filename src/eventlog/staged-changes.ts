import type { State } from './event-log.ts';
import type { ResourceHead } from './fold-event.ts';
import type { SealedSegment } from './segment.ts';

/** A primary record as it will be stored: 32-byte hash, then the content. */
export type SealedRecord = Buffer;

/**
 * Changes not durable yet: of one transaction, or merged of a group. States stay objects and are serialised once, when the
 * group is sealed, so that ten transactions on one task cost one serialisation.
 */
export class StagedChanges {
  readonly segments: SealedSegment[] = [];
  readonly states = new Map<string, State | undefined>();
  /** Keys of derived rows that are the base from now on. */
  readonly bases = new Set<string>();
  /** By the key of the resource's record; undefined for one whose record goes whole. */
  readonly heads = new Map<string, ResourceHead | undefined>();
  /** Index keys and rows of streams; undefined deletes the key. */
  readonly markers = new Map<string, string | undefined>();
  readonly records = new Map<string, SealedRecord>();
  readonly erased = new Set<string>();
  /** Hashes of the records before the open group that were erased or written over. */
  readonly replaced = new Map<string, string>();

  record(key: string, sealed: SealedRecord): void {
    this.erased.delete(key);
    this.records.set(key, sealed);
  }

  erase(key: string): void {
    this.records.delete(key);
    this.erased.add(key);
  }

  /** Whether a derived row is written or deleted. */
  touches(key: string): boolean {
    return this.states.has(key) || this.heads.has(key) || this.markers.has(key);
  }

  get events(): number {
    return this.segments.reduce((sum, { events }) => sum + events.length, 0);
  }

  get isEmpty(): boolean {
    const { segments, records, erased, replaced, bases } = this;
    return segments.length === 0 && [records, erased, replaced, bases].every(({ size }) => size === 0);
  }

  /** Takes over the later changes of `other`. */
  merge(other: StagedChanges): void {
    this.segments.push(...other.segments);
    for (const [key, state] of other.states) {
      this.states.set(key, state);
      this.bases.delete(key);
    }
    for (const [key, head] of other.heads) {
      this.heads.set(key, head);
      this.bases.delete(key);
    }
    for (const [key, marker] of other.markers) {
      this.markers.set(key, marker);
      this.bases.delete(key);
    }
    for (const key of other.bases) this.bases.add(key);
    for (const [key, sealed] of other.records) this.record(key, sealed);
    for (const key of other.erased) this.erase(key);
    for (const [key, sha256] of other.replaced) this.replaced.set(key, sha256);
  }
}
