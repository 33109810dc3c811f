import { headKey } from '../store/keys.ts';
import { seal, unseal } from '../store/sealed-record.ts';
import type { Event, Projection, State, StateWriter } from './event-log.ts';
import type { Finding } from './finding.ts';
import { foldEvent, type ResourceHead } from './fold-event.ts';
import type { Scratch } from './scratch.ts';
import { StateCache } from './state-cache.ts';

const CACHE_CHARS = 16 * 1024 * 1024;
const MARKER = Buffer.alloc(0);

/** Folds events again, from nothing, into a scratch; the result is what the store's derived keys have to be. */
export class Rebuild {
  readonly #scratch: Scratch;
  readonly #projection: Projection;
  readonly #cache = new StateCache(CACHE_CHARS);
  /** States of the commit at hand; serialised once per commit, as the log does. */
  readonly #states = new Map<string, State | undefined>();
  readonly #writer: StateWriter;

  constructor(scratch: Scratch, projection: Projection) {
    this.#scratch = scratch;
    this.#projection = projection;
    this.#writer = {
      // The caller names the type of the states under its own keys.
      get: <S extends State>(key: string) => this.#get(key) as S | undefined,
      set: (key, state) => void this.#states.set(key, state),
      index: (key) => scratch.put(key, MARKER),
      unindex: (key) => scratch.delete(key),
    };
  }

  /** Folds the next event; a gap in its resource's sequence, or a wrong link, is a finding. */
  fold(event: Event): Finding[] {
    const { object, id } = event.resource;
    const head = this.#writer.get<ResourceHead>(headKey(object, id));
    const findings = checkLinks(event, head);
    foldEvent(event, this.#writer, this.#projection);
    return findings;
  }

  /** Ends a commit. */
  async settle(): Promise<void> {
    for (const [key, state] of this.#states) {
      const json = state === undefined ? undefined : JSON.stringify(state);
      if (state === undefined || json === undefined) {
        this.#scratch.delete(key);
        this.#cache.delete(key);
      } else {
        this.#scratch.put(key, seal(json, key));
        this.#cache.set(key, state, json.length);
      }
    }
    this.#states.clear();
    await this.#scratch.flush();
  }

  #get(key: string): State | undefined {
    if (this.#states.has(key)) return this.#states.get(key);
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached ?? undefined;
    const sealed = this.#scratch.get(key);
    return sealed === undefined ? undefined : JSON.parse(unseal(sealed, key).toString('utf8'));
  }
}

function checkLinks(event: Event, head: ResourceHead | undefined): Finding[] {
  const where = `${event.resource.object}/${event.resource.id} sequence ${event.sequence}`;
  const spell = (sequence: number, previous: string | null) => `sequence ${sequence} after ${previous}`;
  const expected = spell((head?.sequence ?? 0) + 1, head?.event_id ?? null);
  const observed = spell(event.sequence, event.previous_event_id);
  return expected === observed ? [] : [{ problem: 'order', where, expected, observed }];
}
