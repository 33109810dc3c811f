import { BASE_MARKER } from './base-row.ts';
import type { Event, Projection, ResourcePointer, State } from './event-log.ts';
import type { Finding } from './finding.ts';
import {
  copyOf,
  type Drafts,
  type FoldCodec,
  type FoldRecord,
  type FoldWriter,
  foldCodec,
  foldEvent,
  type ResourceHead,
  recordOf,
  StateCache,
} from './fold-record.ts';
import type { Scratch } from './scratch.ts';
import { saidBy, streamRows } from './segment.ts';

const CACHE_CHARS = 16 * 1024 * 1024;
const MARKER = '';

/** Folds events again, from nothing, into a scratch; the result is what the store's derived keys have to be. */
export class Rebuild {
  readonly #scratch: Scratch;
  readonly #projection: Projection;
  readonly #codec: FoldCodec;
  readonly #cache = new StateCache(CACHE_CHARS);
  /** Folds of the commit at hand; serialised once per commit, as the log does. */
  readonly #folds = new Map<string, FoldRecord>();
  readonly #drafts: Drafts = new Map();
  /** List keys of the base that kept events took away. */
  readonly #unindexed = new Set<string>();
  readonly #writer: FoldWriter;

  constructor(scratch: Scratch, projection: Projection, codec: FoldCodec = foldCodec(scratch)) {
    this.#scratch = scratch;
    this.#codec = codec;
    this.#projection = projection;
    this.#writer = {
      // The caller names the type of the states under its own keys.
      get: <S extends State>(key: string) => this.#get(key)?.state as S | undefined,
      draft: <S extends State>(key: string) => this.#draft(key) as S | undefined,
      set: (key, state) => {
        this.#drafts.delete(key);
        this.#change(key, { state });
      },
      said: (event, value) => saidBy(event, value),
      head: (resource) => this.#head(resource),
      moveHead: (resource, head) => this.#change(recordOf(resource), { head }),
      index: (key) => this.#index(key),
      unindex: (key) => this.#unindex(key),
    };
  }

  /** Folds the next event; a gap in its resource's sequence, or a wrong link, is a finding. */
  fold(event: Event): Finding[] {
    const findings = checkLinks(event, this.#head(event.resource));
    foldEvent(event, this.#writer, this.#projection);
    return findings;
  }

  /** Notes where the events of a segment stand in their streams. */
  enter(key: string, events: readonly Event[]): void {
    for (const [row, value] of streamRows(key, events)) this.#scratch.put(row, value);
  }

  /** Ends a commit. */
  async settle(): Promise<void> {
    for (const [key, fold] of this.#folds) {
      const encoded = this.#codec.encode(key, fold);
      if (encoded === undefined) {
        this.#scratch.delete(key);
        this.#cache.delete(key);
      } else {
        this.#scratch.put(key, encoded.value);
        this.#cache.set(key, fold, { size: encoded.chars + key.length });
      }
    }
    this.#folds.clear();
    this.#drafts.clear();
    await this.#scratch.flush();
  }

  /** A list key of the base stays that: where its row were not as the base left it, the base would be a record besides. */
  #index(key: string): void {
    const isBase = this.#unindexed.delete(key) || this.#isBaseMarker(key);
    this.#scratch.put(key, isBase ? BASE_MARKER : MARKER);
  }

  #unindex(key: string): void {
    if (this.#isBaseMarker(key)) this.#unindexed.add(key);
    this.#scratch.delete(key);
  }

  #isBaseMarker(key: string): boolean {
    return this.#scratch.get(key)?.toString() === BASE_MARKER;
  }

  #head(resource: ResourcePointer): ResourceHead | undefined {
    return this.#get(recordOf(resource))?.head;
  }

  #draft(key: string): State | undefined {
    const open = this.#drafts.get(key);
    if (open !== undefined) return open;
    const known = this.#get(key)?.state;
    if (known === undefined) return undefined;
    const state = copyOf(known);
    this.#drafts.set(key, state);
    this.#change(key, { state });
    return state;
  }

  #change(key: string, change: FoldRecord): void {
    this.#folds.set(key, { ...this.#get(key), ...change });
  }

  #get(key: string): FoldRecord | undefined {
    const changed = this.#folds.get(key) ?? this.#cache.get(key);
    if (changed !== undefined) return changed;
    const stored = this.#scratch.get(key);
    return stored === undefined ? undefined : this.#codec.decode(key, stored);
  }
}

function checkLinks(event: Event, head: ResourceHead | undefined): Finding[] {
  const where = `${event.resource.object}/${event.resource.id} sequence ${event.sequence}`;
  const spell = (sequence: number, previous: string | null) => `sequence ${sequence} after ${previous}`;
  const expected = spell((head?.sequence ?? 0) + 1, head?.event_id ?? null);
  const observed = spell(event.sequence, event.previous_event_id);
  return expected === observed ? [] : [{ problem: 'order', where, expected, observed }];
}
