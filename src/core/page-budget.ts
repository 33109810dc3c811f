/**
 * Bytes of JSON at which a page ends early, with `has_more`. One item is bounded by the body limit and the inline limits,
 * but 200 of them are more than one answer may cost the process, and can be more than one string holds.
 */
export const PAGE_BYTES = 8 * 1024 * 1024;

/** Counts the items of one page; the first is always taken, so that every page gets on. */
export class PageBudget {
  #taken = 0;
  #spent = false;

  /** Whether an item of this many bytes still goes into the page. Once one does not, none does. */
  takes(bytes: number): boolean {
    if (this.#taken > 0 && this.#taken + bytes > PAGE_BYTES) this.#spent = true;
    if (!this.#spent) this.#taken += bytes;
    return !this.#spent;
  }

  get isSpent(): boolean {
    return this.#spent;
  }
}
