const CODES = 128;

/**
 * Finds many short words in one pass over a text, in any case of letters, at the same cost whatever their number
 * (Aho and Corasick). The words are ASCII, in lower case.
 */
export class KeywordSearch {
  readonly #words: readonly string[];
  /** A number per character that stands in a word, the same for both cases; 0 for all others. */
  readonly #classOf = new Uint8Array(CODES);
  #width = 1;
  /** For each state and class the state behind it. */
  readonly #next: Uint16Array;
  /** States in which a word ends; asked for every character, which a table of bytes answers fastest. */
  readonly #isEnd: Uint8Array;
  /** The words that end in a state. */
  readonly #ends: (readonly number[] | undefined)[];

  constructor(words: readonly string[]) {
    this.#words = words;
    for (const code of new Set(words.flatMap((word) => [...word].map((char) => char.charCodeAt(0))))) {
      this.#classOf[code] = this.#width;
      const upper = String.fromCharCode(code).toUpperCase().charCodeAt(0);
      this.#classOf[upper] = this.#width;
      this.#width += 1;
    }
    const { next, ends } = automaton(
      words.map((word) => [...word].map((char) => this.#classOf[char.charCodeAt(0)] ?? 0)),
      this.#width,
    );
    this.#next = next;
    this.#ends = ends;
    this.#isEnd = Uint8Array.from({ length: next.length / this.#width }, (_, state) => (ends[state] ? 1 : 0));
  }

  /**
   * Calls for every occurrence in a part of the text with the index of its word and where it begins, in the order of their ends.
   * Returns the state to go on with right behind the part, so that a word may stand over its end; 0 begins afresh.
   */
  search(text: string, part: Part, found: (word: number, at: number) => void): number {
    const classOf = this.#classOf;
    const next = this.#next;
    const isEnd = this.#isEnd;
    const width = this.#width;
    let { state } = part;
    for (let at = part.from; at < part.to; at += 1) {
      const code = text.charCodeAt(at);
      state = next[state * width + (code < CODES ? (classOf[code] ?? 0) : 0)] ?? 0;
      if (isEnd[state] === 0) continue;
      for (const word of this.#ends[state] ?? []) found(word, at + 1 - (this.#words[word]?.length ?? 0));
    }
    return state;
  }
}

/** What is searched: `from` inclusive, `to` exclusive, and the state that the search before it ended in. */
interface Part {
  from: number;
  to: number;
  state: number;
}

function automaton(words: readonly (readonly number[])[], width: number) {
  const most = 1 + words.reduce((sum, { length }) => sum + length, 0);
  const next = new Uint16Array(most * width);
  const ends: (number[] | undefined)[] = [];
  let states = 1;
  for (const [index, word] of words.entries()) {
    let state = 0;
    for (const step of word) {
      const at = state * width + step;
      if (next[at] === 0) {
        next[at] = states;
        states += 1;
      }
      state = next[at] ?? 0;
    }
    ends[state] = [...(ends[state] ?? []), index];
  }
  closeLoops(next, ends, width);
  return { next: next.slice(0, states * width), ends };
}

/** Where a word goes on no more, the longest beginning of another that ends here does. */
function closeLoops(next: Uint16Array, ends: (number[] | undefined)[], width: number): void {
  const fallback = new Map<number, number>([[0, 0]]);
  const queue: number[] = [];
  for (let step = 1; step < width; step += 1) {
    const state = next[step] ?? 0;
    if (state !== 0) queue.push(state);
  }
  for (let head = 0; head < queue.length; head += 1) {
    const state = queue[head] ?? 0;
    const back = fallback.get(state) ?? 0;
    const more = ends[back];
    if (more !== undefined) ends[state] = [...(ends[state] ?? []), ...more];
    for (let step = 1; step < width; step += 1) {
      const at = state * width + step;
      const child = next[at] ?? 0;
      const elsewhere = next[back * width + step] ?? 0;
      if (child === 0) next[at] = elsewhere;
      else {
        fallback.set(child, elsewhere);
        queue.push(child);
      }
    }
  }
}
