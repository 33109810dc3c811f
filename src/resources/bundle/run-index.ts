import { eventIdOf } from '#store/keys.ts';

const FIRST_ROOM = 1024;
const ANY = /^/;

/** Which event of a run is of which kind: eleven bytes an event, so that those of rare kinds are found without reading all. */
export class RunIndex {
  readonly #kinds = new Map<string, number>();
  #numbers = new Float64Array(FIRST_ROOM);
  #codes = new Uint16Array(FIRST_ROOM);
  #hiding = new Uint8Array(FIRST_ROOM);
  #size = 0;

  /** Events are added in the order of their log. `mayHide`: something in it may not be for everybody. */
  add(id: string, kind: string, mayHide: boolean): void {
    if (this.#size === this.#codes.length) this.#grow();
    const code = this.#kinds.get(kind) ?? this.#kinds.size;
    this.#kinds.set(kind, code);
    this.#numbers[this.#size] = Number(id);
    this.#codes[this.#size] = code;
    this.#hiding[this.#size] = Number(mayHide);
    this.#size += 1;
  }

  /** Ids of the events of these kinds in order. Default: of all. */
  *ids(kinds = ANY): Generator<string> {
    const wanted = new Set([...this.#kinds].flatMap(([kind, code]) => (kinds.test(kind) ? [code] : [])));
    for (let at = 0; at < this.#size; at += 1)
      if (wanted.has(this.#codes[at] ?? 0)) yield eventIdOf(this.#numbers[at] ?? 0);
  }

  /** Ids of the events in which something may be hidden from somebody. */
  *mayHide(): Generator<string> {
    for (let at = 0; at < this.#size; at += 1)
      if (this.#hiding[at] === 1) yield eventIdOf(this.#numbers[at] ?? 0);
  }

  #grow(): void {
    const [numbers, codes, hiding] = [this.#numbers, this.#codes, this.#hiding];
    this.#numbers = new Float64Array(this.#size * 2);
    this.#codes = new Uint16Array(this.#size * 2);
    this.#hiding = new Uint8Array(this.#size * 2);
    this.#numbers.set(numbers);
    this.#codes.set(codes);
    this.#hiding.set(hiding);
  }
}
