import { LRUCache } from 'lru-cache';
import type { State } from './event-log.ts';

const ABSENT = Symbol('absent');

/** Parsed durable states, bounded by the length of their JSON. */
export class StateCache {
  readonly #states: LRUCache<string, State | typeof ABSENT>;

  constructor(maxChars: number) {
    this.#states = new LRUCache({ maxSize: maxChars });
  }

  /** `null`: known to be absent. Undefined: not known. */
  get(key: string): State | null | undefined {
    const found = this.#states.get(key);
    return found === ABSENT ? null : found;
  }

  /** Remembers that the store holds no such state, so that asking again costs nothing. */
  setAbsent(key: string): void {
    this.#states.set(key, ABSENT, { size: key.length });
  }

  set(key: string, state: State, chars: number): void {
    this.#states.set(key, state, { size: chars + key.length });
  }

  delete(key: string): void {
    this.#states.delete(key);
  }

  clear(): void {
    this.#states.clear();
  }
}
