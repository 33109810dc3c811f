/**
 * Globs as in permission rules and policies: the syntax of globset 0.4 with its default options. `?`, `*` and `**` also match
 * `/`, `[a-z]` and `[!a-z]` are classes, `{a,b}` alternatives, a backslash takes the next character as it is. Case counts, and a
 * glob matches a text as a whole. Matching goes through the text once, whatever the glob.
 */
export interface Glob {
  /** False for a text that is too long to be looked at whole. */
  matches(text: string): boolean;
  /** The same; for a text that is too long, whether its beginning leaves it open. Whoever forbids has to count with that. */
  mayMatch(text: string): boolean;
}

/** Why a text is no glob, in words for whoever sent it. */
export class GlobFault extends Error {}

/** Characters of a glob; what its matching costs grows with them. */
export const MAX_GLOB_CHARS = 512;
/** Characters of a text that are looked at; a longer one is matched by no glob. */
export const MAX_MATCHED_CHARS = 2_048;
/** How deep alternatives stand in alternatives. */
const MAX_DEPTH = 8;
/** Alternatives of a glob that is written now: they cost the most. An older one with more of them is matched as before. */
const MAX_ALTERNATIVES = 16;

type Range = readonly [from: number, to: number];
type TakingToken =
  | { kind: 'char'; code: number }
  | { kind: 'any' }
  | { kind: 'class'; isNegated: boolean; ranges: readonly Range[] };
type Token =
  | TakingToken
  | { kind: 'star' | 'prefix' | 'suffix' | 'middle' }
  | { kind: 'either'; branches: readonly (readonly Token[])[] };

/** Throws a GlobFault for what nobody may write as a glob: an empty, too long, broken or too costly one. */
export function checkGlob(text: string): void {
  const reader = readerOf(text);
  reader.read();
  if (reader.alternatives > MAX_ALTERNATIVES)
    throw new GlobFault(`has more than ${MAX_ALTERNATIVES} "{". Write several globs`);
}

function readerOf(text: string): GlobReader {
  if (text === '') throw new GlobFault('is empty. Write "**" for everything');
  if (text.length > MAX_GLOB_CHARS) throw new GlobFault(`has more than ${MAX_GLOB_CHARS} characters`);
  return new GlobReader(text);
}

/** Reads a glob; throws a GlobFault for an empty, too long or broken one. */
export function compileGlob(text: string): Glob {
  const tokens = readerOf(text).read();
  const isEverything = tokens.length === 1 && tokens[0]?.kind === 'prefix';
  const beginning = beginningOf(tokens);
  let program: Program | undefined;
  const follow = (subject: string): Reached => {
    if (!subject.startsWith(beginning)) return 'nothing';
    program ??= new Assembler().assemble(isEverything ? [{ kind: 'star' }] : tokens);
    return reachedBy(program, subject);
  };
  const matches = (subject: string) => subject.length <= MAX_MATCHED_CHARS && follow(subject) === 'end';
  return {
    matches,
    mayMatch: (subject) =>
      subject.length <= MAX_MATCHED_CHARS
        ? matches(subject)
        : follow(subject.slice(0, MAX_MATCHED_CHARS)) !== 'nothing',
  };
}

/** What everything that matches begins with: most texts are told by it. */
function beginningOf(tokens: readonly Token[]): string {
  let beginning = '';
  for (const token of tokens) {
    if (token.kind !== 'char') break;
    beginning += String.fromCodePoint(token.code);
  }
  return beginning;
}

/** The glob that matches this text and no other. */
export function literalGlob(text: string): string {
  return text.replace(/[?*[\]{}\\]/g, (special) => `[${special}]`);
}

const SEPARATOR = '/';

/** A level of alternatives: the branches that are read, and the one that is being read. */
interface Level {
  branches: Token[][];
  branch: Token[];
}

class GlobReader {
  readonly #chars: readonly string[];
  #at = 0;
  /** The outermost level is the glob itself. */
  readonly #levels: Level[] = [{ branches: [], branch: [] }];
  /** How many "{" were read. */
  alternatives = 0;

  constructor(text: string) {
    this.#chars = [...text];
  }

  read(): readonly Token[] {
    for (let char = this.#take(); char !== undefined; char = this.#take()) this.#readOne(char);
    if (this.#levels.length > 1) throw new GlobFault('has a "{" without its "}"');
    return this.#level.branch;
  }

  get #level(): Level {
    const level = this.#levels.at(-1);
    if (level === undefined) throw new Error('a glob has an outermost level');
    return level;
  }

  #take(): string | undefined {
    this.#at += 1;
    return this.#chars[this.#at - 1];
  }

  #peek(): string | undefined {
    return this.#chars[this.#at];
  }

  #push(token: Token): void {
    this.#level.branch.push(token);
  }

  #readOne(char: string): void {
    if (char === '?') this.#push({ kind: 'any' });
    else if (char === '*') this.#readStar();
    else if (char === '[') this.#readClass();
    else if (char === '{') this.#open();
    else if (char === '}') this.#close();
    else if (char === ',' && this.#levels.length > 1) this.#branch();
    else if (char === '\\') this.#readEscaped();
    else this.#push({ kind: 'char', code: codeOf(char) });
  }

  #readEscaped(): void {
    const char = this.#take();
    if (char === undefined) throw new GlobFault('ends with a backslash that escapes nothing');
    this.#push({ kind: 'char', code: codeOf(char) });
  }

  #open(): void {
    if (this.#levels.length > MAX_DEPTH) throw new GlobFault(`nests "{" more than ${MAX_DEPTH} deep`);
    this.alternatives += 1;
    this.#levels.push({ branches: [], branch: [] });
  }

  #branch(): void {
    const level = this.#level;
    level.branches.push(level.branch);
    level.branch = [];
  }

  #close(): void {
    if (this.#levels.length === 1) throw new GlobFault('has a "}" without its "{"');
    this.#branch();
    const { branches } = this.#level;
    this.#levels.pop();
    // Empty alternatives are left out, as globset does.
    const filled = branches.filter((branch) => branch.length > 0);
    if (filled.length > 0) this.#push({ kind: 'either', branches: filled });
  }

  #readStar(): void {
    const before = this.#chars[this.#at - 2];
    if (this.#peek() !== '*') {
      this.#push({ kind: 'star' });
      return;
    }
    this.#at += 1;
    this.#push({ kind: this.#kindOfTwoStars(before) });
  }

  /** `**` is more than a star only as a whole part of a path; it takes the "/" behind it. */
  #kindOfTwoStars(before: string | undefined): 'star' | 'prefix' | 'suffix' | 'middle' {
    const { branch } = this.#level;
    const next = this.#peek();
    const isInside = this.#levels.length > 1;
    const isFirst = branch.length === 0;
    const isEnd = next === undefined || (isInside && !isFirst && (next === ',' || next === '}'));
    if ((!isFirst && before !== SEPARATOR) || (!isEnd && next !== SEPARATOR)) return 'star';
    if (!isEnd) this.#at += 1;
    if (isFirst) return 'prefix';
    const last = branch.pop();
    if (last?.kind === 'prefix' || last?.kind === 'suffix') return last.kind;
    return isEnd ? 'suffix' : 'middle';
  }

  #readClass(): void {
    const isNegated = this.#peek() === '!' || this.#peek() === '^';
    if (isNegated) this.#at += 1;
    const ranges: [number, number][] = [];
    let inRange = false;
    for (let isFirst = true; ; isFirst = false) {
      const char = this.#take();
      if (char === undefined) throw new GlobFault('has a "[" without its "]"');
      if (char === ']' && !isFirst) break;
      const last = ranges.at(-1);
      if (char === '-' && !isFirst && !inRange) {
        inRange = true;
      } else if (inRange && last !== undefined) {
        last[1] = codeOf(char);
        if (last[1] < last[0]) throw new GlobFault('has a range whose end comes before its beginning');
        inRange = false;
      } else {
        ranges.push([codeOf(char), codeOf(char)]);
      }
    }
    if (inRange) ranges.push([codeOf('-'), codeOf('-')]);
    this.#push({ kind: 'class', isNegated, ranges });
  }
}

/** A set of places, 32 in a number. */
type Bits = Uint32Array;

/**
 * A glob as places in a row, the last of which is its end. A place takes a character and leads to the next one (`rows`), or takes
 * any and stays (`stays`), or leads on without one (`skips`, `jumps`); no way leads back. All places that a text may have reached
 * are one set, so that a character costs a few operations on a few numbers.
 */
interface Program {
  places: number;
  /** The first characters of the ranges of equal characters, in order; and for each range, and what comes before, who takes it. */
  starts: Float64Array;
  rows: Bits;
  stays: Bits;
  /** Places that lead to the two behind them: an optional "**" with its "/". */
  skips: Bits;
  hasSkips: boolean;
  /**
   * Whoever is at one place is at others as well, in the order in which that is to be followed. Each is where it ends, where its
   * second half begins, and two halves of pairs, a number of a set and bits in it: those from which it leads, those to which.
   */
  jumps: Int32Array;
}

const SLASH: TakingToken = { kind: 'char', code: codeOf(SEPARATOR) };

class Assembler {
  readonly #takes: { at: number; token: TakingToken }[] = [];
  readonly #stays: number[] = [];
  readonly #skips = new Set<number>();
  readonly #jumps: { from: readonly number[]; to: readonly number[] }[] = [];
  #at = 0;

  assemble(tokens: readonly Token[]): Program {
    this.#write(tokens);
    const places = this.#at + 1;
    const width = wordsIn(places);
    // A jump to a place that leads on leads there at once.
    const reached = (at: number) => (this.#skips.has(at) ? [at, at + 1, at + 2] : [at]);
    return {
      places,
      ...rowsOf(this.#takes, width),
      stays: bitsOf(this.#stays, width),
      skips: bitsOf([...this.#skips], width),
      hasSkips: this.#skips.size > 0,
      jumps: jumpsOf(
        this.#jumps.map(({ from, to }) => [bitsOf(from, width), bitsOf(to.flatMap(reached), width)]),
      ),
    };
  }

  #write(tokens: readonly Token[]): void {
    for (const token of tokens) this.#writeOne(token);
  }

  #writeOne(token: Token): void {
    switch (token.kind) {
      case 'char':
      case 'any':
      case 'class':
        this.#take(token);
        return;
      case 'star':
        this.#stays.push(this.#at);
        return;
      // Nothing, or anything and a "/".
      case 'prefix':
        this.#skip();
        return;
      // A "/" and anything.
      case 'suffix':
        this.#take(SLASH);
        this.#stays.push(this.#at);
        return;
      // A "/", and then as a prefix.
      case 'middle':
        this.#take(SLASH);
        this.#skip();
        return;
      case 'either':
        this.#fork(token.branches);
        return;
      default:
        token satisfies never;
    }
  }

  #take(token: TakingToken): void {
    this.#takes.push({ at: this.#at, token });
    this.#at += 1;
  }

  #skip(): void {
    this.#skips.add(this.#at);
    this.#at += 1;
    this.#stays.push(this.#at);
    this.#take(SLASH);
  }

  /** The branches lie one behind the other. The jump into them comes before those that they hold, the one out of them after. */
  #fork(branches: readonly (readonly Token[])[]): void {
    const starts: number[] = [];
    const ends: number[] = [];
    this.#jumps.push({ from: [this.#at], to: starts });
    for (const branch of branches) {
      this.#at += 1;
      starts.push(this.#at);
      this.#write(branch);
      ends.push(this.#at);
    }
    this.#at += 1;
    this.#jumps.push({ from: ends, to: [this.#at] });
  }
}

/** More than the places of any glob: a character makes at most two of them. */
const MAX_PLACES = 2 * MAX_GLOB_CHARS + 2;

function wordsIn(places: number): number {
  return (places + 31) >>> 5;
}

function bitsOf(places: readonly number[], width: number): Bits {
  const bits = new Uint32Array(width);
  for (const at of places) bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
  return bits;
}

function flip(bits: Bits, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) ^ (1 << (at & 31));
}

function jumpsOf(jumps: readonly (readonly [from: Bits, to: Bits])[]): Int32Array {
  const flat: number[] = [];
  for (const [from, to] of jumps) {
    const [first, second] = [pairsOf(from), pairsOf(to)];
    const half = flat.length + 2 + first.length;
    flat.push(half + second.length, half, ...first, ...second);
  }
  return Int32Array.from(flat);
}

function pairsOf(bits: Bits): number[] {
  return [...bits].flatMap((word, at) => (word === 0 ? [] : [at, word | 0]));
}

/** One row for each range of characters that the same places take: from the start of one range to the next, takers change. */
function rowsOf(
  takes: readonly { at: number; token: TakingToken }[],
  width: number,
): Pick<Program, 'starts' | 'rows'> {
  const changes = changesOf(takes);
  const starts: number[] = [];
  const rows = new Uint32Array((changes.length + 1) * width);
  const row = bitsOf(
    takes.flatMap(({ at, token }) => (takesTheRest(token) ? [at] : [])),
    width,
  );
  rows.set(row);
  for (let at = 0; at < changes.length; ) {
    const start = Math.floor((changes[at] ?? 0) / MAX_PLACES);
    const behind = (start + 1) * MAX_PLACES;
    for (; at < changes.length && (changes[at] ?? 0) < behind; at += 1)
      flip(row, (changes[at] ?? 0) % MAX_PLACES);
    starts.push(start);
    rows.set(row, starts.length * width);
  }
  return { starts: Float64Array.from(starts), rows };
}

function takesTheRest(token: TakingToken): boolean {
  return token.kind === 'any' || (token.kind === 'class' && token.isNegated);
}

/** Where a place begins or ends to take, sorted; each as one number, the character before the place, which sorts fast. */
function changesOf(takes: readonly { at: number; token: TakingToken }[]): Float64Array {
  const changes: number[] = [];
  for (const { at, token } of takes)
    for (const [from, to] of rangesOf(token))
      changes.push(from * MAX_PLACES + at, (to + 1) * MAX_PLACES + at);
  return Float64Array.from(changes).sort();
}

/** What a token takes, or what one that is negated does not; no range touches another. */
function rangesOf(token: TakingToken): readonly Range[] {
  if (token.kind === 'any') return [];
  if (token.kind === 'char') return [[token.code, token.code]];
  const merged: [number, number][] = [];
  for (const [from, to] of token.ranges.toSorted(([one], [other]) => one - other)) {
    const last = merged.at(-1);
    if (last === undefined || from > last[1] + 1) merged.push([from, to]);
    else last[1] = Math.max(last[1], to);
  }
  return merged;
}

/** Where a text leads: to the end of a glob, among other places, only to others, or nowhere. */
type Reached = 'end' | 'others' | 'nothing';

function reachedBy(program: Program, text: string): Reached {
  const { places, starts, rows, stays } = program;
  const width = stays.length;
  let here = new Uint32Array(width);
  let next = new Uint32Array(width);
  here[0] = 1;
  leadOn(program, here);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0;
    if (code > 0xffff) at += 1;
    const row = rowAt(starts, code) * width;
    let carry = 0;
    let any = 0;
    for (let word = 0; word < width; word += 1) {
      const set = here[word] ?? 0;
      const taken = set & (rows[row + word] ?? 0);
      const reached = (taken << 1) | carry | (set & (stays[word] ?? 0));
      carry = taken >>> 31;
      next[word] = reached;
      any |= reached;
    }
    if (any === 0) return 'nothing';
    leadOn(program, next);
    [here, next] = [next, here];
  }
  const last = places - 1;
  return (((here[last >>> 5] ?? 0) >>> (last & 31)) & 1) === 1 ? 'end' : 'others';
}

/** The index of the row of a character. */
function rowAt(starts: Float64Array, code: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= code) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds all places that are reached without a character. */
function leadOn({ skips, hasSkips, jumps }: Program, places: Bits): void {
  if (hasSkips) {
    let carry = 0;
    for (let word = 0; word < skips.length; word += 1) {
      const set = places[word] ?? 0;
      const skipped = set & (skips[word] ?? 0);
      places[word] = set | (skipped << 1) | (skipped << 2) | carry;
      carry = (skipped >>> 31) | (skipped >>> 30);
    }
  }
  for (let jump = 0; jump < jumps.length; ) {
    const end = jumps[jump] ?? 0;
    const half = jumps[jump + 1] ?? 0;
    let pair = jump + 2;
    while (pair < half && ((places[jumps[pair] ?? 0] ?? 0) & (jumps[pair + 1] ?? 0)) === 0) pair += 2;
    if (pair < half) {
      for (let to = half; to < end; to += 2) {
        const word = jumps[to] ?? 0;
        places[word] = (places[word] ?? 0) | (jumps[to + 1] ?? 0);
      }
    }
    jump = end;
  }
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}
