/** Lets so many through at once; the others wait in the order they came. */
export class Turnstile {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** Resolves when there is a place; whoever entered leaves. */
  enter(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
    return undefined;
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
