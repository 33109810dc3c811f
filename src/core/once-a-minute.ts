/** Equal ones within this time are one event, which the next one counts: what happens again and again fills no disk. */
const WINDOW_MS = 60_000;
/** Kinds remembered at a time. */
const MAX_REMEMBERED = 4096;

interface Remembered {
  untilMs: number;
  unrecorded: number;
}

/** Says which of many equal things is recorded. */
export class OnceAMinute {
  readonly #remembered = new Map<string, Remembered>();

  /**
   * How many equal ones were not recorded since the last one that was; undefined when this one is not recorded either.
   * `time`: RFC 3339.
   */
  due(time: string, key: string): number | undefined {
    const nowMs = Date.parse(time);
    const known = this.#remembered.get(key);
    if (known !== undefined && nowMs < known.untilMs) {
      known.unrecorded += 1;
      return undefined;
    }
    this.#remembered.delete(key);
    this.#remembered.set(key, { untilMs: nowMs + WINDOW_MS, unrecorded: 0 });
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    return known?.unrecorded ?? 0;
  }
}
