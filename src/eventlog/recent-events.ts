import { eventNumberOf } from './event-id.ts';
import type { Event, StoredEvent, StreamScope } from './event-log.ts';

/** Enough for whoever begins to follow what it has just caused; a search through all of them takes microseconds. */
const MAX_EVENTS = 1_024;
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * The newest durable events, without a gap, so that a stream that has just begun is read without the store. Whole commits
 * enter and leave, because a commit holds the beginning of a stream as a whole.
 */
export class RecentEvents {
  #commits: (readonly StoredEvent[])[] = [];
  #events: StoredEvent[] = [];
  #bytes = 0;

  /** Takes the events of the next commit. */
  add(commit: readonly StoredEvent[]): void {
    if (commit.length === 0) return;
    this.#commits.push(commit);
    for (const stored of commit) {
      this.#events.push(stored);
      this.#bytes += stored.bytes.length;
    }
    if (this.#events.length > 2 * MAX_EVENTS || this.#bytes > 2 * MAX_BYTES) this.#forgetOldest();
  }

  /** Forgets everything: events were removed or changed in the store, or what was thought durable is not. */
  clear(): void {
    this.#commits = [];
    this.#events = [];
    this.#bytes = 0;
  }

  /**
   * The events of a stream after `afterId` (20 zeros: from its beginning), at most `limit`; undefined when that is not
   * among the newest ones, or `afterId` is none of the stream's.
   */
  range(scope: StreamScope, afterId: string, limit: number): StoredEvent[] | undefined {
    const from = scope.kind === 'all' ? undefined : this.#placeAfter(scope, afterId);
    if (from === undefined || scope.kind === 'all') return undefined;
    const found: StoredEvent[] = [];
    for (let at = from; at < this.#events.length && found.length < limit; at += 1) {
      const stored = this.#events[at];
      if (stored !== undefined && isOf(scope, stored.event)) found.push(stored);
    }
    return found;
  }

  #placeAfter(scope: Stream, afterId: string): number | undefined {
    const first = this.#events[0];
    if (first === undefined) return undefined;
    if (eventNumberOf(afterId) === 0) return this.#beginning(scope);
    const at = eventNumberOf(afterId) - eventNumberOf(first.event.id);
    const last = this.#events[at];
    return last !== undefined && isOf(scope, last.event) ? at + 1 : undefined;
  }

  /** A stream begins in the commit that makes its resource; the first event of it may stand before that one. */
  #beginning(stream: Stream): number | undefined {
    let from = this.#events.length;
    for (let at = this.#commits.length - 1; at >= 0; at -= 1) {
      const commit = this.#commits[at] ?? [];
      from -= commit.length;
      if (commit.some(({ event }) => makes(event, stream))) return from;
    }
    return undefined;
  }

  /** Down to half, so that this is seldom done. */
  #forgetOldest(): void {
    let count = 0;
    while (this.#events.length - count > MAX_EVENTS || this.#bytes > MAX_BYTES) {
      const commit = this.#commits.shift();
      if (commit === undefined) break;
      count += commit.length;
      for (const { bytes } of commit) this.#bytes -= bytes.length;
    }
    this.#events = this.#events.slice(count);
  }
}

type Stream = Exclude<StreamScope, { kind: 'all' }>;

function makes({ resource, sequence }: Event, { kind, id }: Stream): boolean {
  return sequence === 1 && resource.id === id && resource.object === kind;
}

function isOf({ kind, id }: Stream, event: Event): boolean {
  return (kind === 'session' ? event.session_id : event.task_id) === id;
}
