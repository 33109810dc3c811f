import { LRUCache } from 'lru-cache';
import type { State } from './event-log.ts';

/** Parsed durable states, bounded by the length of their JSON. */
export class StateCache {
  readonly #states: LRUCache<string, State>;

  constructor(maxChars: number) {
    this.#states = new LRUCache({ maxSize: maxChars });
  }

  get(key: string): State | undefined {
    return this.#states.get(key);
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
