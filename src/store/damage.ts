import { IntegrityError } from './store-errors.ts';
import type { KeySpan } from './table-file.ts';

/** Greater than every key. */
const BEHIND_ALL = '\uffff';
/** All keys there can be. */
export const EVERYTHING: KeySpan = { after: '', upTo: BEHIND_ALL };

/** Spans of keys that cannot be believed; almost always none. */
export class Damage {
  readonly #spans: KeySpan[] = [];

  add(spans: readonly KeySpan[]): void {
    this.#spans.push(...spans);
  }

  get spans(): readonly KeySpan[] {
    return this.#spans;
  }

  /** Throws IntegrityError when the key may lie in a damaged block. */
  checkKey(key: string): void {
    this.check(key, key);
  }

  /** The same for all keys from `low` to `high`, both included; absent bounds are open. */
  check(low = '', high = BEHIND_ALL): void {
    for (const { after, upTo } of this.#spans)
      if (high > after && low <= upTo)
        throw new IntegrityError(low, 'an undamaged table block', `damage between "${after}" and "${upTo}"`);
  }
}
