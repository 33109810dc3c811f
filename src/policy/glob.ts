/**
 * Globs as in permission rules and policies: the syntax of globset 0.4 with its default options. `?`, `*` and `**` also match
 * `/`, `[a-z]` and `[!a-z]` are classes, `{a,b}` alternatives, a backslash takes the next character as it is. Case counts, and a
 * glob matches a text as a whole. Matching takes time in proportion to the length of the text, whatever the glob.
 */
export interface Glob {
  matches(text: string): boolean;
}

/** Why a text is no glob, in words for whoever sent it. */
export class GlobFault extends Error {}

/** Characters of a glob; what its matching costs grows with them. */
export const MAX_GLOB_CHARS = 512;
/** Characters of a text; a longer one is matched by no glob. */
export const MAX_MATCHED_CHARS = 2_048;
/** How deep alternatives stand in alternatives. */
const MAX_DEPTH = 8;

type Range = readonly [from: number, to: number];
type Token =
  | { kind: 'char'; code: number }
  | { kind: 'any' | 'star' | 'prefix' | 'suffix' | 'middle' }
  | { kind: 'class'; isNegated: boolean; ranges: readonly Range[] }
  | { kind: 'either'; branches: readonly (readonly Token[])[] };

/** Reads a glob; throws a GlobFault for an empty, too long or broken one. */
export function compileGlob(text: string): Glob {
  if (text === '') throw new GlobFault('is empty. Write "**" for everything');
  if (text.length > MAX_GLOB_CHARS) throw new GlobFault(`has more than ${MAX_GLOB_CHARS} characters`);
  const tokens = new GlobReader(text).read();
  const isEverything = tokens.length === 1 && tokens[0]?.kind === 'prefix';
  const automaton = new Automaton(isEverything ? [{ kind: 'star' }] : tokens);
  return { matches: (subject) => subject.length <= MAX_MATCHED_CHARS && automaton.matches(subject) };
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

/** A place in the automaton of a glob: it takes a character and goes on, leads on without one, or is the end. */
type Node =
  | { kind: 'take'; takes(code: number): boolean; next: Node; mark: number }
  | { kind: 'fork'; to: Node[]; mark: number }
  | { kind: 'end'; mark: number };

const isSlash = (code: number): boolean => code === codeOf(SEPARATOR);
const isAny = (): boolean => true;

/** What matches these tokens and then goes on at `next`. */
function nodesOf(tokens: readonly Token[], next: Node): Node {
  return tokens.reduceRight(nodeOf, next);
}

function nodeOf(next: Node, token: Token): Node {
  switch (token.kind) {
    case 'char':
      return take((code) => code === token.code, next);
    case 'any':
      return take(isAny, next);
    case 'class':
      return take((code) => isIn(token.ranges, code) !== token.isNegated, next);
    case 'star':
      return star(next);
    // `(/?|.*/)`
    case 'prefix':
      return fork(next, take(isSlash, next), star(take(isSlash, next)));
    // `/.*`
    case 'suffix':
      return take(isSlash, star(next));
    // `(/|/.*/)`
    case 'middle':
      return take(isSlash, fork(next, star(take(isSlash, next))));
    case 'either':
      return fork(...token.branches.map((branch) => nodesOf(branch, next)));
  }
}

function take(takes: (code: number) => boolean, next: Node): Node {
  return { kind: 'take', takes, next, mark: 0 };
}

function fork(...to: Node[]): Node {
  return { kind: 'fork', to, mark: 0 };
}

function star(next: Node): Node {
  const again: Node = { kind: 'fork', to: [], mark: 0 };
  again.to.push(take(isAny, again), next);
  return again;
}

/** Follows all ways at once, so that every character is looked at once for each place of the glob. */
class Automaton {
  readonly #start: Node;
  #round = 0;

  constructor(tokens: readonly Token[]) {
    this.#start = nodesOf(tokens, { kind: 'end', mark: 0 });
  }

  matches(text: string): boolean {
    let places: Node[] = [];
    this.#begin();
    this.#reach(this.#start, places);
    for (const char of text) {
      const code = codeOf(char);
      const after: Node[] = [];
      this.#begin();
      for (const node of places) if (node.kind === 'take' && node.takes(code)) this.#reach(node.next, after);
      if (after.length === 0) return false;
      places = after;
    }
    return places.some(({ kind }) => kind === 'end');
  }

  #begin(): void {
    this.#round += 1;
  }

  /** Adds the places that can be reached from here without a character, each once in a round. */
  #reach(node: Node, places: Node[]): void {
    if (node.mark === this.#round) return;
    node.mark = this.#round;
    if (node.kind !== 'fork') places.push(node);
    else for (const next of node.to) this.#reach(next, places);
  }
}

function isIn(ranges: readonly Range[], code: number): boolean {
  return ranges.some(([from, to]) => code >= from && code <= to);
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}
