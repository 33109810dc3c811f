import { LRUCache } from 'lru-cache';
import type { FoldRecord } from './fold-record.ts';

const ABSENT = Symbol('absent');

/** Parsed durable folds, bounded by the length of their JSON. */
export class StateCache {
  readonly #folds: LRUCache<string, FoldRecord | typeof ABSENT>;

  constructor(maxChars: number) {
    this.#folds = new LRUCache({ maxSize: maxChars });
  }

  /** `null`: known to be absent. Undefined: not known. */
  get(key: string): FoldRecord | null | undefined {
    const found = this.#folds.get(key);
    return found === ABSENT ? null : found;
  }

  /** Remembers that the store holds no such fold, so that asking again costs nothing. */
  setAbsent(key: string): void {
    this.#folds.set(key, ABSENT, { size: key.length });
  }

  set(key: string, fold: FoldRecord, chars: number): void {
    this.#folds.set(key, fold, { size: chars + key.length });
  }

  delete(key: string): void {
    this.#folds.delete(key);
  }

  clear(): void {
    this.#folds.clear();
  }
}
