import { IntegrityError } from './store-errors.ts';
import type { KeySpan } from './table-file.ts';

/** Greater than every key. */
const BEHIND_ALL = '\uffff';
/** All keys there can be. */
export const EVERYTHING: KeySpan = { after: '', upTo: BEHIND_ALL };

/** Spans of keys that cannot be believed; almost always none. */
export class Damage {
  readonly #spans: KeySpan[] = [];
  #suspects: readonly KeySpan[] = [];

  /** Returns whether any of them is new. */
  add(spans: readonly KeySpan[]): boolean {
    const fresh = spans.filter(
      (span) => !this.#spans.some(({ after, upTo }) => after === span.after && upTo === span.upTo),
    );
    this.#spans.push(...fresh);
    return fresh.length > 0;
  }

  /** Lost for good. */
  get spans(): readonly KeySpan[] {
    return this.#spans;
  }

  /** Spans that this handle must not be believed; the next opening can read them. */
  suspect(spans: readonly KeySpan[]): void {
    this.#suspects = [...this.#suspects, ...spans];
  }

  /** Throws IntegrityError when the key may lie in a damaged block. */
  checkKey(key: string): void {
    this.check(key, key);
  }

  /** The same for all keys from `low` to `high`, both included; absent bounds are open. */
  check(low = '', high = BEHIND_ALL): void {
    for (const spans of [this.#spans, this.#suspects])
      for (const { after, upTo } of spans)
        if (high > after && low <= upTo)
          throw new IntegrityError(
            low,
            'an undamaged table block',
            `damage between "${after}" and "${upTo}"`,
          );
  }
}
