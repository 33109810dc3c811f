import { eventIdOf } from '../../store/keys.ts';

const FIRST_ROOM = 1024;

/** Which event of a run is of which kind: ten bytes an event, so that events of rare kinds are found without reading all. */
export class RunIndex {
  readonly #kinds = new Map<string, number>();
  #numbers = new Float64Array(FIRST_ROOM);
  #codes = new Uint16Array(FIRST_ROOM);
  #size = 0;
  /** Ids of events in which something may be hidden from somebody. */
  readonly mayHide: string[] = [];

  get size(): number {
    return this.#size;
  }

  /** Events are added in the order of their log. */
  add(id: string, kind: string): void {
    if (this.#size === this.#codes.length) this.#grow();
    const code = this.#kinds.get(kind) ?? this.#kinds.size;
    this.#kinds.set(kind, code);
    this.#numbers[this.#size] = Number(id);
    this.#codes[this.#size] = code;
    this.#size += 1;
  }

  /** How many events are of these kinds, and their ids in order. */
  of(kinds: RegExp): { count: number; ids: () => Generator<string> } {
    const wanted = new Set([...this.#kinds].flatMap(([kind, code]) => (kinds.test(kind) ? [code] : [])));
    const codes = this.#codes.subarray(0, this.#size);
    const numbers = this.#numbers;
    let count = 0;
    for (const code of codes) if (wanted.has(code)) count += 1;
    return {
      count,
      *ids() {
        for (const [at, code] of codes.entries()) if (wanted.has(code)) yield eventIdOf(numbers[at] ?? 0);
      },
    };
  }

  #grow(): void {
    const [numbers, codes] = [this.#numbers, this.#codes];
    this.#numbers = new Float64Array(this.#size * 2);
    this.#codes = new Uint16Array(this.#size * 2);
    this.#numbers.set(numbers);
    this.#codes.set(codes);
  }
}
